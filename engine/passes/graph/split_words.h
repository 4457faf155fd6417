#pragma once
// Splits u32x4 tensors: each becomes a u32 tensor with a last axis of 4, which every device can compute with. The 4x32
// generators, the conversions from and to u32x4 and the uniform numbers made from it are rewritten to use these words. The whole
// pass is one rewrite, all or nothing.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> splitWords(const Graph &graph, PassContext &context);

} // namespace sw
