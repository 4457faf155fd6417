#pragma once
// The graph that the reference interpreter takes: what a program means. Gradients are written out first, for they have no value
// as they stand; dimensions become numbers; no other pass has a part in it.

#include "engine/graph/graph.h"

namespace sw {

// dimensions: a value for each that the graph has.
[[nodiscard]] Result<GraphPtr> referenceGraphOf(const GraphPtr &graph, const SymbolicBindings &dimensions);

} // namespace sw
