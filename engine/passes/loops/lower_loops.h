#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Writes each loop nest out as one linear list of instructions: work items for thread axes, loops with the rests of splits peeled
// behind them, accumulators for reductions, vectors for vector axes, and copies of instructions for upcast and unrolled ones.
// Nests of equal structure are lowered once: their kernels share a body.
// Each statement is one rewrite, kernel after kernel: a kernel in between ends where its instructions end, with blocks that are
// still open, and later kernels are missing.
Result<LoweredProgram> lowerLoops(const LoopProgramPtr &program, PassContext &context);

} // namespace sw
