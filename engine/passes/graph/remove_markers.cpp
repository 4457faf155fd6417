#include "engine/passes/graph/remove_markers.h"

#include <array>

namespace sw {

namespace {

Replacement removeMarker(RewriteContext &context)
{
    if (familyOf(context.node().kind) != NodeFamily::Marker)
        return noMatch();
    return std::optional(context.inputId(0));
}

constexpr std::array kRules = {
    GraphRule{"remove-marker", "Remove a marker", "A node that is its input.", removeMarker},
};

} // namespace

Result<std::optional<Graph>> removeMarkers(const Graph &graph, PassContext &context)
{
    return rewriteGraph(graph, kRules, context);
}

} // namespace sw
