#include "engine/passes/graph/remove_markers.h"

#include <array>
#include <utility>

namespace sw {

namespace {

bool isMarker(const Node &node)
{
    return familyOf(node.kind) == NodeFamily::Marker;
}

Replacement removeMarker(RewriteContext &context)
{
    return std::optional(context.inputId(0));
}

// The reference has served its purpose: gradients are written out. Of the expressions, only the one for the device is kept.
Replacement dropReference(RewriteContext &context)
{
    CustomAttributes kept = attributesOf<CustomAttributes>(context.node());
    if (!kept.hasReference && kept.sources.size() == 1)
        return noMatch();
    std::vector<NodeId> operands = context.node().inputs;
    if (std::exchange(kept.hasReference, false))
        operands.pop_back();
    std::erase_if(kept.sources, [&](const auto &source) { return source.first != nameOf(context.pass().language()); });
    if (kept.sources.empty())
        return noMatch(); // decompose-nodes has put the reference in its place, if there is one
    SW_TRY(const NodeId made, context.builder().custom(context.origin(), operands, context.node().dtype, std::move(kept)));
    return std::optional(made);
}

constexpr std::array kRules = {
    GraphRule{"remove-marker", "Remove a marker", "A node that is its input.", removeMarker, isMarker},
    GraphRule{"drop-reference", "Drop a reference", "An operation of one's own needs the expression for the device only.",
              dropReference, isOfKind<NodeKind::Custom>},
};

} // namespace

Result<std::optional<Graph>> removeMarkers(const Graph &graph, PassContext &context)
{
    return rewriteGraph(graph, kRules, context);
}

} // namespace sw
