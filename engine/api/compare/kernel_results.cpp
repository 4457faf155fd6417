#include "engine/api/compare/kernel_results.h"

#include "engine/api/compilation.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/executor.h"

#include <algorithm>
#include <limits>

namespace sw {

namespace {

// The graph with these values as its outputs.
Graph withOutputs(const Graph &graph, std::span<const KernelResult> results)
{
    NodeId last(0U);
    for (const KernelResult &result : results)
        last = std::max(last, result.node);
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().begin() + last.value + 1);
    // Placeholders behind them stay, so that the values of all of them still fit.
    for (std::size_t i = last.value + 1; i < graph.size(); ++i)
        if (graph.node(NodeId(i)).kind == NodeKind::Placeholder)
            nodes.push_back(graph.node(NodeId(i)));
    Node sink = graph.nodes().back();
    sink.inputs.clear();
    SinkAttributes attributes;
    for (const KernelResult &result : results) {
        sink.inputs.push_back(result.node);
        attributes.outputNames.push_back(format("r{}", attributes.outputNames.size()));
    }
    sink.attributes = std::move(attributes);
    nodes.push_back(std::move(sink));
    return {std::move(nodes), graph.sourcesPtr()};
}

// What lies beyond the needed elements may have any value.
void allowAnyBeyond(HostTensor &bounds, const Shape &needed)
{
    if (needed == bounds.shape())
        return;
    std::vector<std::int64_t> place(needed.rank());
    const Scalar any = Scalar::of(DType::F64, std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < bounds.elements(); ++i) {
        unravel(i, bounds.shape(), place);
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            if (place[axis] >= needed[axis])
                bounds.set(i, any);
    }
}

} // namespace

std::vector<KernelResult> resultsOf(const Schedule &schedule)
{
    std::vector<KernelResult> results;
    for (const ScheduleItem &item : schedule.items) {
        const auto *launch = std::get_if<KernelLaunch>(&item.work);
        if (launch == nullptr)
            continue;
        const ScheduledKernel &kernel = schedule.kernel(launch->kernel);
        for (std::size_t i = 0; i < kernel.results.size(); ++i)
            results.push_back({launch->kernel, kernel.results[i], kernel.writes[i]});
    }
    return results;
}

std::size_t portionEnd(const Schedule &schedule, std::span<const KernelResult> results, std::size_t first, std::int64_t bytes)
{
    std::size_t end = first;
    // The device's value, the reference's, and its bounds in f64.
    for (std::int64_t taken = 0; end < results.size() && (end == first || taken < bytes); ++end) {
        const Node &node = schedule.graph->node(results[end].node);
        taken += node.shape.largest().elements() * static_cast<std::int64_t>(2 * bytesOf(node.dtype) + sizeof(double));
    }
    return end;
}

Result<ResultInputs> resultInputs(const Schedule &schedule, const RunInputs &inputs)
{
    ResultInputs made;
    SW_TRY(made.interpreted, interpretedValues(*schedule.graph, inputs));
    SW_TRY(made.values, inputValues(*schedule.graph, inputs));
    made.dimensions = inputs.dimensions;
    return made;
}

Result<BoundedOutputs> referenceResults(const Schedule &schedule, std::span<const KernelResult> results,
                                        const ResultInputs &inputs, double operations, const std::stop_token &stop)
{
    const Graph wanted = withOutputs(*schedule.graph, results);
    if (wanted.isSymbolic())
        return Diagnostic::error(Code::Unsupported, {},
                                 "kernels of open dimensions have no reference: write numbers for the dimensions, or "
                                 "compile a model for them");
    const BoundOptions bounds{.withTypical = false, .stop = stop};
    if (const BoundCost cost = costOfBounds(wanted, bounds); cost.operations > operations)
        return Diagnostic::error(Code::Limit, {},
                                 "the reference would take {:.3g} operations, more than {:.3g}, to judge the kernel {}",
                                 cost.operations, operations, schedule.kernel(results.back().kernel).name);
    SW_TRY(BoundedOutputs made, interpretWithBounds(wanted, inputs.interpreted, bounds));
    SW_TRY(const SymbolicBindings dimensions,
           dimensionsOf(*schedule.graph, givenShapesOf(*schedule.graph, inputs.values), inputs.dimensions));
    const NeededExtents needed(*schedule.graph);
    for (std::size_t i = 0; i < results.size(); ++i)
        allowAnyBeyond(made.bounds[i], neededShapeOf(*schedule.graph, needed, results[i].node, dimensions));
    return made;
}

Result<std::vector<std::optional<HostTensor>>> storedResults(ProgramCompiler &compiler, const Compilation &compilation,
                                                             std::span<const KernelResult> results, const ResultInputs &inputs,
                                                             const std::stop_token &stop)
{
    std::vector<BufferId> buffers;
    for (const KernelResult &result : results)
        buffers.push_back(result.buffer);
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_TRY(const auto executor, Executor::prepare(std::move(devices), compilation.program, inputs.values, {}, inputs.dimensions));
    SW_TRY(std::vector<std::optional<HostTensor>> stored, executor->runAndKeep(buffers, stop));
    const Schedule &schedule = *compilation.schedule;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (!stored[i])
            continue;
        const Node &node = schedule.graph->node(results[i].node);
        const Shape shape = node.shape.largest();
        if (stored[i]->elements() == shape.elements() && stored[i]->dtype() == node.dtype)
            stored[i] = stored[i]->reshaped(shape);
        else
            return Diagnostic::error(Code::Unsupported, {}, "the kernel {} stores {} where the graph has {}",
                                     schedule.kernel(results[i].kernel).name, typeText(stored[i]->dtype(), stored[i]->shape()),
                                     typeText(node.dtype, node.shape));
    }
    return stored;
}

} // namespace sw
