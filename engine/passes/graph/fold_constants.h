#pragma once
// Evaluates the nodes whose inputs are all constants, up to kMaxFoldedElements elements. A constant scalar that is spread over a
// shape stays symbolic: what is computed from such ones is computed once and spread again. An index that is out of range is left
// for the run to report.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> foldConstants(const Graph &graph, PassContext &context);

} // namespace sw
