#include "engine/passes/graph/simplify.h"

#include <vector>

namespace sw {

Result<std::optional<Graph>> simplify(const Graph &graph, PassContext &context)
{
    std::vector<GraphRule> rules;
    for (const std::span<const GraphRule> rows :
         {arithmeticRules(), conversionRules(), movementRules(), choiceRules(), extremeRules()})
        rules.insert(rules.end(), rows.begin(), rows.end());
    return rewriteGraph(graph, rules, context);
}

} // namespace sw
