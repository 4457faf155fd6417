#pragma once
// Evaluates nodes whose inputs are all constants, up to kMaxFoldedElements elements. A constant scalar spread over a shape stays
// symbolic: an operation on such scalars is evaluated once and its result is spread again. A node with an index out of range is
// not folded, so that the run reports the index, and neither is the cast of a narrow factor that a tensor instruction of the
// device multiplies as it is.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> foldConstants(const Graph &graph, PassContext &context);

} // namespace sw
