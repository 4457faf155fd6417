#pragma once
// Runs in which every load and store of a kernel is compared with its memory before it is done. One that does not fit touches
// nothing and is reported: kernel, argument, index, extent, the line of the lowered text and that of the program. It is done by
// instructions among the kernel's own, so it holds on every device.

#include "engine/execute/item_runner.h"

#include <stop_token>

namespace sw {

struct Compilation;
class ProgramCompiler;

struct CheckedProgram {
    CompiledProgramPtr program;
    Diagnostics notes; // how many accesses are proved and how many are checked; which kernels cannot be checked, and why
};

// The program with its accesses checked, for the devices that the compilation was made for. What is compiled otherwise, and what
// the window shows, stays as it is. Kernels with an edited source are taken as they are: nobody knows their accesses.
[[nodiscard]] Result<CheckedProgram> withCheckedAccesses(ProgramCompiler &compiler, const Compilation &compilation,
                                                         const std::stop_token &stop);

} // namespace sw
