#pragma once
// Why a kernel or a buffer is as it is, in words: the decisions that made it, with their rules and numbers, and the override that
// would change each.

#include "engine/graph/value_path.h"
#include "engine/loops/loop_nest.h"
#include "engine/passes/overrides.h"

#include <string>

namespace sw {

// The override that would decide otherwise.
[[nodiscard]] Override oppositeOf(const FusionDecision &decision, const ValuePaths &paths);
// The override that gives the kernel the transformations that it has.
[[nodiscard]] Override loopsOf(const LoopNest &nest, const Schedule &schedule, const ValuePaths &paths);

// What the kernel computes and stores, which edges lead into it or end at its border, and what became of its loops (null: there
// are none yet).
[[nodiscard]] std::string kernelExplanation(const Schedule &schedule, KernelId id, const LoopProgram *loops,
                                            const ValuePaths &paths);

// What the buffer holds and why that is in memory, how long it lives, where it lies, and with what it shares its place.
[[nodiscard]] std::string bufferExplanation(const Schedule &schedule, BufferId id, const ValuePaths &paths);

} // namespace sw
