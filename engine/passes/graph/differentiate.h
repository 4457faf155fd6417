#pragma once
// Writes gradients out as ordinary nodes, in reverse mode. A gradient node asks how its loss changes with a value. The pass
// walks from the loss back to that value, node by node, with one rule per operation, and its result replaces the gradient node.
// Gradients of one loss share a walk. If one gradient is taken of another, the inner one comes first; no special case is needed.
//
// Each step of a walk is one recorded rewrite. If the rewrite budget runs out during a walk, the rest of the walk is written as
// gradient nodes with weights, so the graph means the same after every step.
//
// Afterwards detach and contiguous_backward have no effect any more, and the pass removes them.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> differentiate(const Graph &graph, PassContext &context);

} // namespace sw
