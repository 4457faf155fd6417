// Transformations that the program itself asks for.

#include "engine/loops/join.h"
#include "engine/passes/loops/choose.h"

#include <algorithm>

namespace sw {

void unrollAsAsked(NestPlan &plan)
{
    for (const UnrollRequest &request : std::vector<UnrollRequest>(plan.nest().unrolls)) {
        const LoopNest &nest = plan.nest();
        const Value &value = nest.values[request.value.value];
        const std::vector<AxisId> &order =
            value.kind == ValueKind::Reduction ? orderOf(nest, nest.reductions[value.reduction.value]) : nest.order;
        const auto isLoop = [&](AxisId leaf) {
            const Axis &axis = nest.axes[leaf.value];
            return axis.extent > 1 && (axis.type == AxisType::Loop || axis.type == AxisType::Reduce);
        };
        const auto innermost = std::find_if(order.rbegin(), order.rend(), isLoop);
        if (innermost != order.rend() && request.copies > 1)
            plan.unroll(*innermost, std::min(request.copies, plan.extentOf(*innermost)), "the program asks for it");
    }
}

} // namespace sw
