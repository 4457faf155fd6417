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

DocumentItem describeKernel(const Schedule &schedule, KernelId id)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    const Node &root = schedule.graph->node(kernel.root);
    DocumentItem item;
    item.label = kernel.name;
    item.detail = typeText(root.dtype, root.shape);
    item.tags = {"kernel"};
    if (!kernel.reductions.empty())
        item.tags.emplace_back("reduce");
    item.sources = sourcesOf(kernel.origin);
    item.kernel = id.value;
    item.node = kernel.root.value;
    return item;
}

std::vector<DocumentField> kernelFields(const Schedule &schedule, KernelId id, const ScheduleItem *launch, const LoopNest *loops,
                                        const StepEstimates &estimates)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    const KernelEstimate &estimate = kernel.estimate;
    std::vector<DocumentField> fields;
    const auto add = [&](const char *name, std::string value) { fields.push_back({name, std::move(value)}); };
    add("root", format("%{}", kernel.root.value));
    add("nodes", format("{}", kernel.members.size()));
    add("axes", axesText(kernel, AxisRole::Normal));
    if (!kernel.reductions.empty()) {
        add("reduced axes", axesText(kernel, AxisRole::Reduction));
        add("reductions", reductionsText(kernel));
    }
    if (loops != nullptr)
        add("mapping", mappingText(*loops));
    add("mathematical work", amountText(estimate.flops, "flop"));
    add("priced work", amountText(estimate.pricedWork, "flop"));
    for (const TensorWork &work : estimate.tensorWork)
        fields.push_back({format("products by {}", infoOf(work.instruction).name), amountText(work.operations, "flop")});
    add("reads", bytesText(estimate.bytesRead));
    add("writes", bytesText(estimate.bytesWritten));
    add("intensity", format("{:.3g} flop/B", estimate.intensity()));
    add("values at once", format("{}", estimate.registers));
    add("estimate", nanosecondsText(estimates.kernels.at(id.value)));
    add("estimated by", toText(estimates.figures.at(kernel.device.value)));
    if (estimate.launches > 1)
        add("launches", format("{}, which these figures are of", estimate.launches));
    if (launch != nullptr && !launch->conditions.empty())
        add("runs only when", whenText(schedule, *launch));
    if (schedule.devices.size() > 1)
        add("device", schedule.device(kernel.device).id);
    if (launch != nullptr && launch->phase == Phase::Load)
        add("runs", "once, when the program is loaded");
    return fields;
}

} // namespace sw
