#pragma once
// Merges nodes that compute the same value from the same inputs into the first of them. Placeholders and buffers have an identity
// of their own and are not merged.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> mergeEqual(const Graph &graph, PassContext &context);

} // namespace sw
