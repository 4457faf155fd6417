#include "engine/passes/loops/build_loops.h"

#include "engine/loops/transform.h"
#include "engine/passes/loops/pull.h"

#include <utility>

namespace sw {

namespace {

std::vector<ExprId> makeDomain(const Node &root, LoopNest &nest)
{
    std::vector<ExprId> index;
    for (std::size_t axis = 0; axis < root.shape.rank(); ++axis) {
        if (root.shape[axis] == 1) {
            index.push_back(nest.arena.constant(0));
            continue;
        }
        const AxisId id(nest.axes.size());
        nest.axes.push_back(Axis{.name = format("i{}", nest.axes.size()), .extent = root.shape[axis], .origin = root.origin});
        nest.domain.push_back(id);
        index.push_back(nest.arena.axis(id, root.shape[axis]));
    }
    nest.order = nest.domain;
    return index;
}

// A result other than the root is stored at the index at which the root pulled it, or, for a sibling that the root does not
// read, at the same flat position.
Result<Done> storeResult(const Schedule &schedule, ValuePuller &puller, LoopNest &nest, NodeId result,
                         const std::vector<ExprId> &domain)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    const Node &node = schedule.graph->node(result);
    const Node &root = schedule.graph->node(kernel.root);
    std::vector<ExprId> index = domain;
    if (result != kernel.root) {
        const std::vector<ExprId> *pulled = puller.indexOf(result);
        if (pulled != nullptr)
            index = *pulled;
        else if (node.shape.elements() == root.shape.elements())
            index = puller.unravelled(puller.flatIndex(root.shape, domain), node.shape);
        else
            return Diagnostic::error(Code::Internal, schedule.graph->sources().programRange(node.origin),
                                     "result {} of kernel {} is not reached from its root", operationText(node), kernel.name);
    }
    SW_TRY(const ValueId value, puller.valueAt(result, index, {}));
    nest.stores.push_back(StoreStatement{.buffer = schedule.bufferOf(result),
                                         .index = puller.flatIndex(node.shape, index),
                                         .value = value,
                                         .node = result,
                                         .origin = node.origin});
    return Done{};
}

Result<LoopNest> buildNest(const Schedule &schedule, KernelId id)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    LoopNest nest{.kernel = id, .origin = kernel.origin};
    const std::vector<ExprId> domain = makeDomain(schedule.graph->node(kernel.root), nest);
    ValuePuller puller(schedule, id, nest);
    SW_TRY([[maybe_unused]] const ValueId root, puller.valueAt(kernel.root, domain, {}));
    for (const NodeId result : kernel.results)
        SW_CHECK(storeResult(schedule, puller, nest, result, domain));
    return nest;
}

} // namespace

Result<LoopProgram> buildLoops(const SchedulePtr &schedule, PassContext &context)
{
    LoopProgram program{.schedule = schedule};
    for (std::size_t kernel = 0; kernel < schedule->kernels.size(); ++kernel) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while building loops");
        SW_TRY(LoopNest nest, buildNest(*schedule, KernelId(kernel)));
        program.nests.push_back(std::make_shared<const LoopNest>(mergeAxes(std::move(nest))));
    }
    return program;
}

} // namespace sw
