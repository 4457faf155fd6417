#include "engine/passes/schedule/group_kernels.h"

#include "engine/passes/graph/device_slots.h"
#include "engine/passes/schedule/assemble.h"
#include "engine/passes/schedule/siblings.h"
#include "engine/passes/schedule/stages.h"

namespace sw {

Result<Schedule> groupKernels(const GraphPtr &graph, PassContext &context)
{
    const auto cancelled = [] { return Diagnostic::error(Code::Cancelled, {}, "grouping was cancelled"); };
    if (context.isCancelled())
        return cancelled();
    SW_TRY(const std::vector<DeviceSlot> slots, settledSlots(*graph, context));
    const JoinedFlow joined = joinedFlowOf(*graph, slots, context);
    const PlacedFlow placed{joined.flow, slots, joined.facts, joined.joins};
    SW_TRY(Grouping grouping, growKernels(*graph, placed, context));
    grouping = withSiblingsMerged(*graph, placed, context, std::move(grouping));
    grouping = withStagesMerged(*graph, placed, context, std::move(grouping));
    if (context.isCancelled())
        return cancelled();
    return assembleSchedule(graph, placed, std::move(grouping), context);
}

} // namespace sw
