#pragma once
// Reports the out-of-range indices found by the launches of a run to the author of the program.

#include "engine/lowered/lowered.h"

#include <span>

namespace sw {

struct LaunchFault {
    KernelId kernel;
    IndexFault fault;
};

// One error for each place in the program, axis and size, with the first index and the count: because of vectors, copies of loops
// and several kernels, one line can have many checks.
[[nodiscard]] Diagnostics faultDiagnostics(const LoweredProgram &program, std::span<const LaunchFault> faults);

} // namespace sw
