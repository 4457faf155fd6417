#include "engine/passes/loops/lower_loops.h"

#include "engine/passes/loops/kernel_lowering.h"

namespace sw {

Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context)
{
    LoweredProgram lowered{.schedule = program->schedule, .kernels = {}};
    for (const auto &nest : program->nests) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while lowering");
        lowered.kernels.push_back(KernelLowering(*program->schedule, *nest).run());
    }
    return lowered;
}

} // namespace sw
