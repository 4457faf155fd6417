#pragma once
// The dimensions of a graph as values: what shapes are made of, computed with i64 nodes.

#include "engine/graph/builder.h"

#include <map>
#include <string>

namespace sw {

using DimensionNodes = std::map<std::string, NodeId, std::less<>>; // the i64[] that holds each dimension

// The value of the expression, i64[]. Every variable in it has a node.
[[nodiscard]] Result<NodeId> dimensionValue(GraphBuilder &builder, const Origin &origin, const SymbolicExpr &expr,
                                            const DimensionNodes &nodes);

// The graph for these dimensions alone: every shape is of numbers, and the dimensions are constants. Errors: a dimension without
// a value, or with one that is out of its bounds.
[[nodiscard]] Result<Graph> bindDimensions(const Graph &graph, const SymbolicBindings &bindings);

} // namespace sw
