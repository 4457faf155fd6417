#include "engine/passes/loops/build_loops.h"

#include "engine/base/parallel.h"
#include "engine/graph/dimension_terms.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/axis_ends.h"
#include "engine/passes/loops/nest_steps.h"
#include "engine/passes/loops/pull.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace sw {

namespace {

std::vector<ExprId> makeDomain(const Schedule &schedule, NodeId rootId, LoopNest &nest, NestSteps &steps)
{
    const Node &root = schedule.graph->node(rootId);
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    std::vector<ExprId> index;
    for (std::size_t axis = 0; axis < root.shape.rank(); ++axis) {
        if (root.shape[axis] == 1) {
            index.push_back(nest.arena.constant(0));
            continue;
        }
        const AxisId id(nest.axes.size());
        nest.axes.push_back(
            Axis{.name = axisNameIn(kernel, rootId, 'i', nest.axes.size()), .extent = root.shape[axis], .origin = root.origin});
        nest.rowAxes += axis < kernel.rowAxes ? 1 : 0;
        nest.domain.push_back(id);
        nest.order.push_back(id);
        index.push_back(nest.arena.axis(id, root.shape[axis]));
        steps.done("open-loop", rootId, [&] {
            return format("axis {} of {} -> {} in 0..{}", axis, operationText(root), nest.axes.back().name, root.shape[axis]);
        });
    }
    return index;
}

// A result that the root does not read is its sibling and is pulled at the same flat position. Readers come before the values
// that they read, which may be results too.
Result<Done> pullResults(const Schedule &schedule, ValuePuller &puller, const LoopNest &nest, const std::vector<ExprId> &domain,
                         const std::vector<NodeId> &own)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    const Shape &rootShape = schedule.graph->node(kernel.root).shape;
    SW_TRY([[maybe_unused]] const ValueId root, puller.valueAt(kernel.root, domain, {}));
    std::vector<NodeId> results = own;
    std::ranges::sort(results, std::ranges::greater());
    for (const NodeId result : results) {
        const Node &node = schedule.graph->node(result);
        if (puller.indexOf(result) != nullptr)
            continue;
        if (node.shape.elements() != rootShape.elements())
            return Diagnostic::error(Code::Internal, schedule.graph->sources().programRange(node.origin),
                                     "result {} of kernel {} is not reached from its root", operationText(node), kernel.name);
        const std::vector<ExprId> index = puller.unravelled(puller.flatIndex(rootShape, domain), node.shape);
        SW_TRY([[maybe_unused]] const ValueId value, puller.valueAt(result, index, {}));
    }
    return Done{};
}

// Stores the result at the index at which it was pulled.
Result<Done> storeResult(const Schedule &schedule, ValuePuller &puller, LoopNest &nest, NodeId result, NestSteps &steps)
{
    const Node &node = schedule.graph->node(result);
    const std::vector<ExprId> index = *puller.indexOf(result);
    SW_TRY(const ValueId value, puller.valueAt(result, index, {}));
    nest.stores.push_back(StoreStatement{.buffer = schedule.bufferOf(result),
                                         .index = puller.flatIndex(node.shape, index),
                                         .value = value,
                                         .node = result,
                                         .origin = node.origin});
    steps.done("store", result,
               [&] { return format("{} -> {}", operationText(node), schedule.buffer(nest.stores.back().buffer).name); });
    return Done{};
}

// The nest of a stage: what the root reads of it stays in the memory of the work item. Results that it computes on the way, once
// for each row, are stored, and no longer among `results`. What is needed along its axes comes to `ends`.
Result<LoopNest> buildStage(const Schedule &schedule, const NeededExtents &needed, KernelId id, NodeId stage,
                            std::vector<NodeId> &results, DomainEnds &ends, NestSteps &steps)
{
    const Node &node = schedule.graph->node(stage);
    LoopNest nest{.kernel = id, .origin = node.origin};
    const std::vector<ExprId> domain = makeDomain(schedule, stage, nest, steps);
    ValuePuller puller(schedule, id, stage, nest, steps);
    SW_TRY(const ValueId value, puller.valueAt(stage, domain, {}));
    nest.stores.push_back(StoreStatement{
        .buffer = BufferId(), .index = puller.keptIndex(stage, domain), .value = value, .node = stage, .origin = node.origin});
    steps.done("store", stage, [&] { return format("{} stays with the work item", operationText(node)); });
    for (const NodeId result : results)
        if (puller.indexOf(result) != nullptr)
            SW_CHECK(storeResult(schedule, puller, nest, result, steps));
    std::erase_if(results, [&](NodeId result) { return puller.indexOf(result) != nullptr; });
    ends = endsOfDomain(needed, puller, nest);
    return nest;
}

// A row is computed in all stages where a result of any of them needs it.
void uniteRows(std::vector<DomainEnds> &ends, const LoopNest &kernel)
{
    for (std::size_t row = 0; row < kernel.rowAxes; ++row) {
        const std::int64_t extent = kernel.axes[kernel.domain[row].value].extent;
        std::optional<SymbolicExpr> most;
        for (const DomainEnds &own : ends) {
            if (!own[row])
                continue;
            const Result<SymbolicExpr> both = most ? maximum(*most, *own[row]) : Result<SymbolicExpr>(*own[row]);
            most = both ? *both : SymbolicExpr(extent);
        }
        for (DomainEnds &own : ends)
            own[row] = most;
    }
}

// The merges that the list of transformations tells, one step each.
LoopNest merged(const LoopNest &nest, PassContext &context)
{
    LoopNest whole = mergeAxes(nest);
    std::size_t done = nest.transforms.size();
    for (; done < whole.transforms.size() && context.mayRewrite(); ++done)
        context.record("merge-axes", nest.kernel, [&] { return RewriteDetail{toText(whole.transforms[done])}; });
    return done == whole.transforms.size() ? std::move(whole) : withFirstTransforms(nest, whole.transforms, done);
}

// The nest as far as the context allows its steps.
Result<LoopNest> buildNest(const Schedule &schedule, const NeededExtents &needed, KernelId id, PassContext &context)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    LoopNest nest{.kernel = id, .origin = kernel.origin};
    NestSteps steps(nest, context);
    std::vector<NodeId> results = kernel.results; // that no stage has stored
    std::vector<DomainEnds> ends(kernel.stages.size());
    for (std::size_t i = 0; i < kernel.stages.size(); ++i) {
        SW_TRY(LoopNest made, buildStage(schedule, needed, id, kernel.stages[i], results, ends[i], steps));
        nest.stages.push_back(std::move(made));
    }
    const std::vector<ExprId> domain = makeDomain(schedule, kernel.root, nest, steps);
    ValuePuller puller(schedule, id, NodeId(), nest, steps);
    SW_CHECK(pullResults(schedule, puller, nest, domain, results));
    for (const NodeId result : results)
        SW_CHECK(storeResult(schedule, puller, nest, result, steps));
    ends.push_back(endsOfDomain(needed, puller, nest));
    uniteRows(ends, nest);
    for (std::size_t i = 0; i < nest.stages.size(); ++i)
        endDomain(schedule, ends[i], nest.stages[i], steps);
    endDomain(schedule, ends.back(), nest, steps);
    if (std::optional<LoopNest> stopped = steps.takeStopped())
        return std::move(*stopped);
    return merged(nest, context);
}

// What a kernel's loops became, and the steps that were counted for them.
struct BuiltNest {
    std::optional<Result<LoopNest>> nest; // nothing: cancelled before
    RewriteLog log;
};

// By kernel, side by side: possible as long as no step is forbidden.
std::vector<BuiltNest> builtTogether(const Schedule &schedule, const NeededExtents &needed, const PassContext &context)
{
    std::vector<BuiltNest> built(schedule.kernels.size());
    context.expectKernels(built.size());
    inParallel(built.size(), [&](std::size_t kernel) {
        if (context.isCancelled())
            return;
        PassContext own(context.device(), context.language(), context.options(), {}, kNoRewriteLimit, {}, kNoRewrites);
        built[kernel].nest = buildNest(schedule, needed, KernelId(kernel), own);
        built[kernel].log = std::move(own.rewrites());
        context.kernelDone();
    });
    return built;
}

// Its steps in the order of the kernels; where one of them is to be told in full, the nest is built once more.
Result<LoopNest> recorded(BuiltNest built, const Schedule &schedule, const NeededExtents &needed, KernelId id,
                          PassContext &context)
{
    if (!*built.nest || !context.rewrites().canAppend(built.log))
        return buildNest(schedule, needed, id, context);
    context.rewrites().append(built.log);
    return std::move(*built.nest);
}

} // namespace

Result<LoopProgram> buildLoops(const SchedulePtr &schedule, PassContext &context)
{
    LoopProgram program{.schedule = schedule};
    const NeededExtents needed(*schedule->graph);
    const std::size_t kernels = schedule->kernels.size();
    std::vector<BuiltNest> built;
    if (context.rewritesLeft() > kNoRewriteLimit / 2)
        built = builtTogether(*schedule, needed, context);
    for (std::size_t kernel = 0; kernel < kernels && context.mayRewrite(); ++kernel) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while building loops");
        const KernelId id(kernel);
        const bool isBuilt = !built.empty() && built[kernel].nest;
        SW_TRY(LoopNest nest, isBuilt ? recorded(std::move(built[kernel]), *schedule, needed, id, context)
                                      : buildNest(*schedule, needed, id, context));
        program.nests.push_back(std::make_shared<const LoopNest>(std::move(nest)));
    }
    return program;
}

} // namespace sw
