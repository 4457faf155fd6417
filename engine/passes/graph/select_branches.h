#pragma once
// Replaces choices whose branches are not worth skipping: both are computed, and each element is selected, in one kernel with
// what stands around. What stays is computed only where it is chosen. Call it when no pass makes the branches cheaper any more.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> selectBranches(const Graph &graph, PassContext &context);

} // namespace sw
