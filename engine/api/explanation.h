#pragma once
// Why a kernel or a buffer is as it is, in words: the decisions that made it, with their rules and numbers, and the override that
// would change each.

#include "engine/graph/value_path.h"
#include "engine/loops/loop_nest.h"
#include "engine/passes/overrides.h"

#include <string>

namespace sw {

// The override that would reverse the decision.
[[nodiscard]] Override oppositeOf(const FusionDecision &decision, const ValuePaths &paths);
// The override that gives the kernel the transformations that it has.
[[nodiscard]] Override loopsOf(const LoopNest &nest, const Schedule &schedule, const ValuePaths &paths);

// Says what the kernel computes and stores, which edges lead into it or end at its border, and what became of its loops (null
// while there are none).
[[nodiscard]] std::string kernelExplanation(const Schedule &schedule, KernelId id, const LoopProgram *loops,
                                            const ValuePaths &paths);

// Says what the buffer holds and why it is in memory, how long it lives, where it is placed, and what shares its place.
[[nodiscard]] std::string bufferExplanation(const Schedule &schedule, BufferId id, const ValuePaths &paths);

} // namespace sw
