#pragma once
// Takes the nodes away that are their input and only say something about it. What they say has been used by then.

#include "engine/passes/graph/rewriter.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> removeMarkers(const Graph &graph, PassContext &context);

} // namespace sw
