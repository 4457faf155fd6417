#include "engine/passes/graph/decompose_nodes.h"

namespace sw {

Result<std::optional<Graph>> decomposeNodes(const Graph &graph, PassContext &context)
{
    std::vector<GraphRule> rules;
    for (const std::span<const GraphRule> rows : {vectorNodeRules(), productNodeRules(), scatterRules(), randomNodeRules()})
        rules.insert(rules.end(), rows.begin(), rows.end());
    return rewriteGraph(graph, rules, context);
}

} // namespace sw
