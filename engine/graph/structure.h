#pragma once
// Equality of nodes and graphs without regard to where they come from.

#include "engine/graph/graph.h"

#include <cstdint>

namespace sw {

// Unary, Binary, Ternary and ReduceAxis carry an operation.
[[nodiscard]] bool carriesOp(NodeKind kind);

// The two compute the same from the same inputs: kind, operation, type, shape, inputs and attributes. Names, scopes and origins
// do not count.
[[nodiscard]] bool isSameOperation(const Node &a, const Node &b);
// Equal for nodes that are the same operation.
[[nodiscard]] std::uint64_t hashOfOperation(const Node &node);

// Node by node the same operation, name and scope; scopes may be numbered differently but must nest and be named alike.
[[nodiscard]] bool isSameStructure(const Graph &a, const Graph &b);

} // namespace sw
