#pragma once
// Removes the nodes that no output depends on. Inputs and parameters stay: they are the program's interface.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> removeDead(const Graph &graph, PassContext &context);

} // namespace sw
