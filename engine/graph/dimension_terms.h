#pragma once
// Reads what pad-dimensions wrote: which nodes hold expressions of dimensions, and which compare places along an axis with them.

#include "engine/graph/graph.h"

#include <optional>
#include <vector>

namespace sw {

// The expression of dimensions that every element of the node is; nothing: it is something else.
[[nodiscard]] std::optional<SymbolicExpr> dimensionExprOf(const Graph &graph, NodeId node);

// The place along the axis is below the end.
struct BelowEnd {
    std::size_t axis = 0;
    SymbolicExpr end;
};
// What holds wherever the bool node is true: some of it, or nothing that is known.
[[nodiscard]] std::vector<BelowEnd> belowEndsOf(const Graph &graph, NodeId condition);

// Where a reduction's input is masked with the reduction's identity from an end on, along axes that it reduces.
[[nodiscard]] std::vector<BelowEnd> maskedEndsOf(const Graph &graph, const Node &reduction);

// An expression that is greater than every element of the integer node; nothing: none is known.
[[nodiscard]] std::optional<SymbolicExpr> strictBoundOf(const Graph &graph, NodeId node);

} // namespace sw
