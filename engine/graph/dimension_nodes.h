#pragma once
// The dimensions of a graph as values: shape expressions computed with i64 nodes.

#include "engine/graph/builder.h"

#include <map>
#include <string>

namespace sw {

using DimensionNodes = std::map<std::string, NodeId, std::less<>>; // the i64[] that holds each dimension

// The value of the expression, as i64[]. Every variable in it must have a node.
[[nodiscard]] Result<NodeId> dimensionValue(GraphBuilder &builder, const Origin &origin, const SymbolicExpr &expr,
                                            const DimensionNodes &nodes);

// The node for these dimensions alone, which must be in their bounds. Errors: a dimension of its shape has no value.
[[nodiscard]] Result<Node> bindNode(const Node &node, const SymbolicBindings &bindings);

// The graph for these dimensions alone: every shape consists of numbers, and the dimensions are constants. Errors: a dimension
// has no value, or its value is out of bounds.
[[nodiscard]] Result<Graph> bindDimensions(const Graph &graph, const SymbolicBindings &bindings);

} // namespace sw
