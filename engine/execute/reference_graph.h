#pragma once
// The graph that the reference interpreter runs: it defines what a program means. Gradients are written out first, because they
// have no value of their own, and dimensions become numbers; no other pass takes part.

#include "engine/graph/graph.h"

namespace sw {

// dimensions: a value for each dimension of the graph.
[[nodiscard]] Result<GraphPtr> referenceGraphOf(const GraphPtr &graph, const SymbolicBindings &dimensions);

} // namespace sw
