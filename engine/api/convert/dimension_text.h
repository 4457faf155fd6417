#pragma once
// Dimensions of the run as a program writes them: in shapes, and as numbers.

#include "engine/graph/graph.h"

#include <map>
#include <optional>
#include <string>

namespace sw {

// "2 * n + 1", "minimum(n, m) // 8"
[[nodiscard]] std::string dimensionText(const SymbolicExpr &expr);
// "[n, 2 * m, 3]"
[[nodiscard]] std::string shapeText(const Shape &shape);

// The numbers that nodes compute of dimensions alone.
using DimensionNumbers = std::map<NodeId, std::string>;
// That of a node, whose inputs have those that are known; nothing: it is another value.
[[nodiscard]] std::optional<std::string> dimensionNumberText(const Graph &graph, NodeId id, const DimensionNumbers &known);

// The slice that makes this shrink node: "[1:, :-2]". Nothing: no slice does, because of dimensions.
[[nodiscard]] std::optional<std::string> sliceText(const Graph &graph, const Node &shrink);

} // namespace sw
