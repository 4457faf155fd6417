#pragma once
// Chooses in which order the axes of images are in memory: channel by channel, as programs write them, or pixel by pixel. See
// image_groups.h for what either order costs. Where a group of images is pixel by pixel, all of it is computed in that order, and
// what else reads it sees it through a permutation.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> chooseLayouts(const Graph &graph, PassContext &context);

} // namespace sw
