#include "engine/passes/graph/place.h"

#include "engine/passes/graph/placer.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

bool isPlacement(NodeKind kind)
{
    return kind == NodeKind::Device || kind == NodeKind::Copy || kind == NodeKind::Multi;
}

} // namespace

Result<std::optional<Graph>> place(const Graph &graph, PassContext &context)
{
    if (std::ranges::none_of(graph.nodes(), [](const Node &node) { return isPlacement(node.kind); }))
        return std::optional<Graph>();
    const std::size_t before = context.rewrites().size();
    SW_TRY(Graph placed, Placer(graph, context).run());
    if (context.rewrites().size() == before)
        return std::optional<Graph>();
    return std::optional(std::move(placed));
}

} // namespace sw
