#include "engine/passes/graph/decompose_nodes.h"

#include <algorithm>

namespace sw {

namespace {

bool namesDevices(const Graph &graph)
{
    return std::ranges::any_of(graph.nodes(), [](const Node &node) {
        return node.kind == NodeKind::Device || node.kind == NodeKind::Copy || node.kind == NodeKind::Multi;
    });
}

} // namespace

Result<std::optional<Graph>> decomposeNodes(const Graph &graph, PassContext &context)
{
    std::vector<GraphRule> rules;
    for (const std::span<const GraphRule> rows :
         {vectorNodeRules(), productNodeRules(), assignRules(), namesDevices(graph) ? placedCustomRules() : customRules(),
          scatterRules(), randomNodeRules(), catRules()})
        rules.insert(rules.end(), rows.begin(), rows.end());
    return rewriteGraph(graph, rules, context);
}

} // namespace sw
