#pragma once
// Writes gradients out, in reverse mode. A gradient node asks how its loss changes with a value; the pass walks from the loss
// back to that value, node by node, by one rule per operation, and what it built takes the node's place. Gradients of one loss
// share the walk. Gradients that another one is taken of come first, so second derivatives are nothing special.
//
// Each step of a walk is one recorded rewrite. When the budget is spent in between, what is left of the walk is written as
// gradient nodes with weights: the graph means the same after every step.
//
// Then nothing reads detach and contiguous_backward for what they say, and they go.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> differentiate(const Graph &graph, PassContext &context);

} // namespace sw
