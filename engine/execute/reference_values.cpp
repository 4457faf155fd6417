#include "engine/execute/reference_values.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/execute/dimensions.h"
#include "engine/graph/interpreter.h"

namespace sw {

Result<ReferenceValues> referenceValuesOf(const Graph &graph, std::span<const HostTensor> values, const SymbolicBindings &wanted,
                                          std::span<const NodeId> nodes, const std::stop_token &stop, const LimitBudget &budget)
{
    SW_TRY(const SymbolicBindings dimensions, dimensionsOf(graph, givenShapesOf(graph, values), wanted));
    SW_TRY(const std::vector<HostTensor> inputs, paddedValues(graph, values, dimensions));
    ReferenceValues made;
    const BoundOptions options{.withTypical = true, .stop = stop};
    const BoundCost cost = costOfBounds(graph, options);
    if (cost.operations > budget.operations || cost.bytes > budget.bytes) {
        made.missing = format("they would take {:.3g} operations and {:.3g} bytes, more than {:.3g} or {:.3g}", cost.operations,
                              cost.bytes, budget.operations, budget.bytes);
        InterpretOptions interpret;
        interpret.stop = stop;
        SW_TRY(made.values, interpretNodes(graph, inputs, nodes, interpret));
        return made;
    }
    SW_TRY(BoundedOutputs bounded, interpretNodesWithBounds(graph, inputs, nodes, options));
    made.values = std::move(bounded.values);
    for (std::size_t i = 0; i < bounded.bounds.size(); ++i)
        made.limits.push_back(errorLimits(bounded.bounds[i], bounded.typical[i], 1));
    return made;
}

} // namespace sw
