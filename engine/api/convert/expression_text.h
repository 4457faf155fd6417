#pragma once
// Nodes of a graph as expressions of the language.

#include "engine/graph/graph.h"

#include <functional>
#include <string>

namespace sw {

// Writes an operand: a name, or a number that takes the other operand's type.
using OperandText = std::function<std::string(NodeId)>;

// The call or the operation that makes exactly this node. Errors (Code::Unsupported): a node that is a line of its own in the
// language (placeholders, dimensions, the sink) or that no single expression makes, and constants that listText does not write.
[[nodiscard]] Result<std::string> expressionText(const Graph &graph, NodeId id, const OperandText &operand);

// A number as the language reads it: "inf" and "nan" are names there.
[[nodiscard]] std::string numberText(const Scalar &value);
// "[[1.0, 2.0], [3.0, 4.0]]"
[[nodiscard]] std::string listText(const HostTensor &value);
// Whether listText gives a list that reads back to the same type, shape and bits, and is short enough to read.
[[nodiscard]] bool isListed(const HostTensor &value);

} // namespace sw
