#pragma once
// Compares nodes and graphs, ignoring where they come from.

#include "engine/graph/graph.h"

#include <cstdint>

namespace sw {

// Unary, Binary, Ternary and ReduceAxis carry an operation.
[[nodiscard]] bool carriesOp(NodeKind kind);

// Whether both nodes compute the same value from the same inputs: compares kind, operation, type, shape, inputs and attributes,
// not names, scopes or origins.
[[nodiscard]] bool isSameOperation(const Node &a, const Node &b);
// The hash is equal for nodes that are the same operation.
[[nodiscard]] std::uint64_t hashOfOperation(const Node &node);

// Every pair of nodes has the same operation, name and scope; scope numbers may differ, but nesting and names must match.
[[nodiscard]] bool isSameStructure(const Graph &a, const Graph &b);

// The outputs of both graphs are computed by the same operations from the same inputs, in their order. The order of nodes does
// not matter, nor do names, nor whether equal nodes are one; parameters are the same if their values are.
[[nodiscard]] bool isSameComputation(const Graph &a, const Graph &b);

} // namespace sw
