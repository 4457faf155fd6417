#pragma once
// What a kernel of a program finds in its buffers when it begins.

#include "engine/execute/executor.h"

#include <span>
#include <stop_token>
#include <vector>

namespace sw {

struct KernelArguments {
    std::vector<HostTensor> values; // by argument position; a buffer that is given twice is one tensor
    Diagnostics faults;             // indices out of range in the kernels before it
};

// Runs what comes before the kernel on a device, which stands for all devices of the program. values and wanted as for
// Executor::prepare.
[[nodiscard]] Result<KernelArguments> argumentsOf(OpenedDevice &device, const LoweredProgramPtr &program, KernelId kernel,
                                                  std::span<const HostTensor> values, const SymbolicBindings &wanted,
                                                  std::stop_token stop);

} // namespace sw
