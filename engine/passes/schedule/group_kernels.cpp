#include "engine/passes/schedule/group_kernels.h"

#include "engine/passes/schedule/assemble.h"
#include "engine/passes/schedule/siblings.h"

namespace sw {

Result<Schedule> groupKernels(const GraphPtr &graph, PassContext &context)
{
    if (context.isCancelled())
        return Diagnostic::error(Code::Cancelled, {}, "grouping was cancelled");
    const Dataflow flow = dataflowOf(*graph);
    Grouping grouping = growKernels(*graph, flow, context);
    return assembleSchedule(graph, flow, withSiblingsMerged(*graph, flow, context, std::move(grouping)), context);
}

} // namespace sw
