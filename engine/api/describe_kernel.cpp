#include "engine/api/describe_common.h"
#include "engine/api/describe_schedule_parts.h"
#include "engine/api/device_figures.h"
#include "engine/loops/stages.h"

#include <algorithm>

namespace sw {

namespace {

std::string axesText(const ScheduledKernel &kernel, AxisRole role)
{
    std::vector<std::string> parts;
    for (const IterationAxis &axis : kernel.axes)
        if (axis.role == role)
            parts.push_back(format("{} {}", axis.name, axis.extent));
    return parts.empty() ? "none" : join(parts, ", ");
}

std::string reductionsText(const ScheduledKernel &kernel)
{
    return join(kernel.reductions, "; ", [&](const ReductionPlan &plan) {
        std::string text = format("{} of %{}", nameOf(plan.op), plan.node.value);
        if (!plan.axes.empty())
            text += " over " + join(plan.axes, " ", [&](std::uint32_t axis) { return kernel.axes[axis].name; });
        if (plan.stage != ReductionStage::Whole)
            text += format(", {}", nameOf(plan.stage));
        return text + (plan.mayReassociate ? ", in any order" : ", in order of the source");
    });
}

void addMapping(const LoopNest &nest, std::vector<std::string> &parts)
{
    std::vector<bool> isSplit(nest.axes.size(), false);
    for (const Axis &axis : nest.axes)
        if (axis.source.isValid())
            isSplit[axis.source.value] = true;
    for (std::size_t i = 0; i < nest.axes.size(); ++i) {
        const Axis &axis = nest.axes[i];
        if (!isSplit[i] && axis.type != AxisType::Loop && axis.type != AxisType::Reduce)
            parts.push_back(format("{} {} {}", nameOf(axis.type), axis.name, axis.extent));
    }
    for (const Pack &pack : nest.packs)
        parts.push_back(format("{} v{} at {}", pack.isShared ? "share" : "pack", pack.load.value, nest.axes[pack.at.value].name));
    for (const Prefetch &prefetch : nest.prefetches)
        parts.push_back(format("prefetch v{} along {}", prefetch.load.value, nest.axes[prefetch.at.value].name));
    for (const Stream &stream : nest.streams)
        parts.push_back(format("stream v{} along {}", stream.load.value, nest.axes[stream.at.value].name));
}

// What the loop stage made of the axes: "thread i0.outer 8, vector i1.inner 16".
std::string mappingText(const LoopNest &nest)
{
    std::vector<std::string> parts;
    forEachStage(nest, [&](const LoopNest &stage) { addMapping(stage, parts); });
    return parts.empty() ? "plain loops" : join(parts, ", ");
}

} // namespace

DocumentItem describeKernel(const Schedule &schedule, KernelId id, const LoopProgram *loops, const StepEstimates &estimates)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    const KernelEstimate &estimate = kernel.estimate;
    const Node &root = schedule.graph->node(kernel.root);
    DocumentItem item;
    item.label = kernel.name;
    item.detail = typeText(root.dtype, root.shape);
    item.fields = {{"root", format("%{}", kernel.root.value)},
                   {"nodes", format("{}", kernel.members.size())},
                   {"axes", axesText(kernel, AxisRole::Normal)}};
    if (!kernel.reductions.empty()) {
        item.fields.push_back({"reduced axes", axesText(kernel, AxisRole::Reduction)});
        item.fields.push_back({"reductions", reductionsText(kernel)});
    }
    if (loops != nullptr)
        item.fields.push_back({"mapping", mappingText(*loops->nests.at(id.value))});
    const std::vector<DocumentField> figures = {{"mathematical work", amountText(estimate.flops, "flop")},
                                                {"reads", bytesText(estimate.bytesRead)},
                                                {"writes", bytesText(estimate.bytesWritten)},
                                                {"intensity", format("{:.3g} flop/B", estimate.intensity())},
                                                {"values at once", format("{}", estimate.registers)},
                                                {"estimate", nanosecondsText(estimates.kernels.at(id.value))},
                                                {"estimated by", toText(estimates.figures.at(kernel.device.value))}};
    for (const DocumentField &figure : figures)
        item.fields.push_back(figure);
    if (estimate.launches > 1)
        item.fields.push_back({"launches", format("{}, which these figures are of", estimate.launches)});
    for (const ScheduleItem &step : schedule.items)
        if (step.kernel() == id && !step.conditions.empty())
            item.fields.push_back({"runs only when", whenText(schedule, step)});
    if (schedule.devices.size() > 1)
        item.fields.push_back({"device", schedule.device(kernel.device).id});
    item.tags = {"kernel"};
    if (!kernel.reductions.empty())
        item.tags.emplace_back("reduce");
    item.sources = sourcesOf(kernel.origin);
    item.kernel = id.value;
    item.node = kernel.root.value;
    return item;
}

} // namespace sw
