#pragma once
// What the launches of a run report about indices that were out of range, told to the author of the program.

#include "engine/lowered/lowered.h"

#include <span>

namespace sw {

struct LaunchFault {
    KernelId kernel;
    IndexFault fault;
};

// One error for every place of the program, axis and size, with the first index and how many there were: vectors, copies of loops
// and several kernels make many checks of one line.
[[nodiscard]] Diagnostics faultDiagnostics(const LoweredProgram &program, std::span<const LaunchFault> faults);

} // namespace sw
