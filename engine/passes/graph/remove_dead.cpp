#include "engine/passes/graph/remove_dead.h"

#include "engine/graph/builder.h"

#include <utility>

namespace sw {

namespace {

// Goes from the last node to the first, so a node is removed only after all of its readers: a spent budget leaves a valid graph.
std::vector<bool> chooseKept(const Graph &graph, PassContext &context)
{
    std::vector<bool> isKept(graph.size(), false);
    for (std::size_t i = graph.size(); i-- > 0;) {
        const Node &node = graph.node(NodeId(i));
        const bool isInterface = node.kind == NodeKind::Sink || node.kind == NodeKind::Placeholder ||
                                 node.kind == NodeKind::DefineVar || node.kind == NodeKind::Bind;
        if (!isKept[i] && !isInterface && context.mayRewrite()) {
            context.record("remove-dead", [&] {
                return RewriteDetail{format("{} {} is not used", operationText(node), typeText(node.dtype, node.shape)),
                                     {static_cast<std::uint32_t>(i)}};
            });
            continue;
        }
        isKept[i] = true;
        for (const NodeId input : node.inputs)
            isKept[input.value] = true;
    }
    return isKept;
}

} // namespace

Result<std::optional<Graph>> removeDead(const Graph &graph, PassContext &context)
{
    const std::size_t rewritesBefore = context.rewrites().size();
    const std::vector<bool> isKept = chooseKept(graph, context);
    if (context.rewrites().size() == rewritesBefore)
        return std::optional<Graph>();
    GraphBuilder builder(graph);
    std::vector<NodeId> made(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (!isKept[i])
            continue;
        made[i] = builder.addUnchecked(graph.node(NodeId(i)).readingFrom(made));
    }
    return std::optional(std::move(builder).finishUnchecked());
}

} // namespace sw
