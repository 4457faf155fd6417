#pragma once
// The rules that every graph obeys. Runs after each pass, and on every graph that comes from outside.

#include "engine/graph/graph.h"

namespace sw {

// Each node: inputs, attributes, type and shape as inferType says, an origin and a scope of the source map. The graph:
// placeholder names are unique, output names are unique and not empty. All broken rules are reported, each at the place of its
// node.
[[nodiscard]] Result<Done> verifyGraph(const Graph &graph);

} // namespace sw
