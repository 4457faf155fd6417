#pragma once
// Takes u32x4 tensors apart: each becomes a u32 tensor with a last axis of 4, which every device can compute with. The 4x32
// generators, the conversions from and to u32x4 and the uniform numbers made of it are written with those words. All or nothing:
// one rewrite.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> splitWords(const Graph &graph, PassContext &context);

} // namespace sw
