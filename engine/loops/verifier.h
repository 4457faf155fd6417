#pragma once

#include "engine/base/result.h"
#include "engine/loops/loop_nest.h"

namespace sw {

// What must hold of a nest: ids in range, operands before their users, each leaf of every unsplit axis in one loop list exactly
// once, repeated leaves (upcast, unroll, vector) inside the loops of the same axis and at most one vector axis per loop list,
// and stores into buffers that the kernel writes.
[[nodiscard]] Result<Done> verifyLoops(const LoopNest &nest, const Schedule &schedule);
[[nodiscard]] Result<Done> verifyLoops(const LoopProgram &program);

} // namespace sw
