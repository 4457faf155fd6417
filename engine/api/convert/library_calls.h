#pragma once
// Calls of the library as lines of a program, in place of the operations that they consist of.

#include "engine/api/convert/expression_text.h"
#include "engine/language/library_caller.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace sw {

using language::LibraryUse;

// Those whose nodes are in the graph, are read from outside only as results, and can be written: by the first node.
[[nodiscard]] std::map<NodeId, LibraryUse> writtenCalls(const Graph &graph, std::span<const LibraryUse> uses);

// The tensors that a call takes, and those that it gives; an invalid id is a result that is None.
[[nodiscard]] std::vector<NodeId> tensorsTaken(const LibraryUse &use);
[[nodiscard]] std::vector<NodeId> tensorsGiven(const LibraryUse &use);

// "softmax(x, axis = 1)"
[[nodiscard]] std::string callText(const LibraryUse &use, const OperandText &operand);

} // namespace sw
