#pragma once
// The rules that every graph obeys. They are checked after each pass and for every graph from outside.

#include "engine/graph/graph.h"

namespace sw {

// Each node needs the inputs, attributes, type and shape that inferType requires, and an origin and a scope in the source map. In
// the graph, placeholder names are unique, and output names are unique and not empty. Every broken rule is reported at the place
// of its node.
[[nodiscard]] Result<Done> verifyGraph(const Graph &graph);

} // namespace sw
