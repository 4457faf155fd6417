#include "engine/passes/schedule/group_kernels.h"

#include "engine/passes/schedule/assemble.h"

namespace sw {

Result<Schedule> groupKernels(const GraphPtr &graph, PassContext &context)
{
    if (context.isCancelled())
        return Diagnostic::error(Code::Cancelled, {}, "grouping was cancelled");
    const Dataflow flow = dataflowOf(*graph);
    return assembleSchedule(graph, flow, growKernels(*graph, flow, context));
}

} // namespace sw
