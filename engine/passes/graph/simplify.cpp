#include "engine/passes/graph/simplify.h"

#include <vector>

namespace sw {

std::array<std::span<const GraphRule>, 5> simplifyRules()
{
    return {arithmeticRules(), conversionRules(), movementRules(), choiceRules(), extremeRules()};
}

Result<std::optional<Graph>> simplify(const Graph &graph, PassContext &context)
{
    std::vector<GraphRule> rules;
    for (const std::span<const GraphRule> rows : simplifyRules())
        rules.insert(rules.end(), rows.begin(), rows.end());
    return rewriteGraph(graph, rules, context);
}

} // namespace sw
