#pragma once
// Gives every value the largest shape that it can have, so that one compilation serves every size. What lies beyond the real
// extents is never let into a result: reductions see their identity there, and what is padded, joined or reversed is found by
// places computed from the real extents. The dimensions become inputs; the inputs and outputs keep their real shapes as
// attributes, by which a run fills and crops them. All or nothing: one rewrite.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> padDimensions(const Graph &graph, PassContext &context);

} // namespace sw
