#include "engine/passes/schedule/explain_choices.h"

#include "engine/passes/graph/branch_price.h"

namespace sw {

void explainChoices(const Graph &graph, const RooflineFigures &figures, std::vector<FusionDecision> &decisions)
{
    const std::map<NodeId, BranchPrice> prices = branchPricesOf(graph, figures);
    for (FusionDecision &decision : decisions)
        if (const Node &choice = graph.node(decision.consumer); choice.kind == NodeKind::Choose)
            decision.reason += ": " + toText(prices.at(choice.inputs[0]));
}

} // namespace sw
