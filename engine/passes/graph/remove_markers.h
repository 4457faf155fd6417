#pragma once
// Removes markers: nodes whose value is their input and that only say something about it. Earlier passes have used what they say.

#include "engine/passes/graph/rewriter.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> removeMarkers(const Graph &graph, PassContext &context);

} // namespace sw
