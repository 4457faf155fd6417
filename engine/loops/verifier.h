#pragma once

#include "engine/base/result.h"
#include "engine/loops/loop_nest.h"

namespace sw {

// Axes of work items in a kernel: devices count them in x, y and z.
inline constexpr std::int64_t kMostItemAxes = 3;

// Checks a nest: ids are in range, operands come before their users, each leaf of every unsplit axis is in exactly one loop list,
// repeated leaves (upcast, unroll, vector) are inside the loops of the same axis, each loop list has at most one vector axis,
// and stores go to buffers that the kernel writes.
[[nodiscard]] Result<Done> verifyLoops(const LoopNest &nest, const Schedule &schedule);
[[nodiscard]] Result<Done> verifyLoops(const LoopProgram &program);

} // namespace sw
