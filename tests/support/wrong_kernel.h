#pragma once
// Compiled programs with a mistake in them.

#include "engine/api/compilation.h"

#include <memory>
#include <vector>

namespace sw::test {

// The same program with another operation of floats in its first kernel. Returns how many instructions that changed, too.
struct WrongProgram {
    Compilation compilation;
    int changed = 0;
};
[[nodiscard]] inline WrongProgram withWrongOp(Compilation compilation, Op right, Op wrong)
{
    auto program = std::make_shared<LoweredProgram>(*compilation.lowered);
    std::vector<LoweredKernel> kernels;
    for (const LoweredKernel &kernel : program->kernels)
        kernels.push_back(kernel);
    int changed = 0;
    for (Instruction &instruction : kernels.front().instructions) {
        if (instruction.kind != InstructionKind::Alu || instruction.op != right || !isFloat(instruction.dtype))
            continue;
        instruction.op = wrong;
        ++changed;
    }
    program->kernels = KernelList(std::move(kernels));
    compilation.lowered = std::move(program);
    return {std::move(compilation), changed};
}

} // namespace sw::test
