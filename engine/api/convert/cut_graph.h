#pragma once
// A part of a graph as a graph of its own.

#include "engine/graph/graph.h"

#include <span>
#include <string>
#include <vector>

namespace sw {

struct GraphPart {
    Graph graph;
    std::vector<NodeId> made; // by node of the whole graph: the node of the part; invalid where it has none
};

// What makes the values `to` from the values `from`, which become inputs of these names, and from what else of the program's
// inputs and parameters it needs. Without `from` it begins at the program's inputs, without `to` it ends at its outputs. A value
// is called by its name in the program or the model, by its path ("block/Conv"), or by its number in the graph ("%12"). Errors:
// no value has the name (Code::UnknownName), or the part does not need a value of `from` (Code::Argument).
[[nodiscard]] Result<GraphPart> cutGraph(const Graph &graph, std::span<const std::string> from, std::span<const std::string> to);

} // namespace sw
