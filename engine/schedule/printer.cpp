#include "engine/schedule/printer.h"

#include "engine/graph/scan.h"
#include "engine/schedule/conditions.h"

#include <algorithm>

namespace sw {

namespace {

class SchedulePrinter {
public:
    explicit SchedulePrinter(const Schedule &schedule) : m_schedule(schedule) {}

    ScheduleText print() &&
    {
        line({}, "stepwell schedule 2");
        for (std::size_t i = 0; i < m_schedule.devices.size(); ++i)
            line({}, format("device d{} {}: arena {} bytes, at most {} live", i, m_schedule.devices[i].id,
                            m_schedule.devices[i].arenaBytes, m_schedule.devices[i].peakBytes));
        for (std::uint32_t i = 0; i < m_schedule.buffers.size(); ++i)
            line({ScheduleLineKind::Buffer, i}, bufferText(i));
        for (std::uint32_t i = 0; i < m_schedule.kernels.size(); ++i)
            printKernel(i);
        printItems();
        line({}, format("critical path:{}, {} ns", listText(m_schedule.criticalPath, [](std::uint32_t item) { return item; }),
                        m_schedule.criticalNanoseconds));
        line({}, format("outputs: {}", outputsText()));
        for (std::uint32_t i = 0; i < m_schedule.decisions.size(); ++i)
            line({ScheduleLineKind::Decision, i}, decisionText(m_schedule.decisions[i]));
        return std::move(m_out);
    }

private:
    void line(ScheduleLine what, const std::string &text)
    {
        m_out.text += text;
        m_out.text += '\n';
        m_out.lines.push_back(what);
    }

    // " a b c", or nothing.
    template <class Range, class Projection>
    static std::string listText(const Range &range, Projection project)
    {
        return range.empty() ? "" : " " + join(range, " ", project);
    }

    static std::string name(BufferId id) { return format("b{}", id.value); }

    // Empty when there is only one device.
    std::string onDevice(DeviceSlot slot) const
    {
        return m_schedule.devices.size() < 2 ? std::string() : format(" on d{}", slot.value);
    }

    std::string bufferText(std::uint32_t index) const
    {
        const ScheduledBuffer &buffer = m_schedule.buffers[index];
        std::string text = format("b{} = {} {} : {} of %{}{}, items {}..{}, at {}..{}", index, nameOf(buffer.role), buffer.name,
                                  typeText(buffer.dtype, buffer.shape), buffer.node.value, onDevice(buffer.device),
                                  buffer.firstItem, buffer.lastItem, buffer.arenaOffset, buffer.arenaOffset + buffer.bytes());
        if (buffer.aliasGroup)
            text += format(", shares place {}", *buffer.aliasGroup);
        if (buffer.partOf)
            text += format(", part of b{} from {}", buffer.partOf->whole.value, buffer.partOf->offset);
        return text;
    }

    // What an estimate is made of: "4096 flops, 20480 priced", and for each tensor instruction ", 8192 by amx_bf16".
    static std::string workText(const KernelEstimate &estimate)
    {
        std::string text = format("{} flops, {} priced", estimate.flops, estimate.pricedWork);
        for (const TensorWork &work : estimate.tensorWork)
            text += format(", {} by {}", work.operations, infoOf(work.instruction).name);
        return text;
    }

    void printKernel(std::uint32_t index)
    {
        const ScheduledKernel &kernel = m_schedule.kernels[index];
        const KernelEstimate &estimate = kernel.estimate;
        line({ScheduleLineKind::Kernel, index},
             format("kernel {} {}{}: root %{}, reads{}, writes{} // {}, {} bytes read, {} bytes written, {} registers, {} ns",
                    kernel.name, kernel.symbol, onDevice(kernel.device), kernel.root.value, listText(kernel.reads, name),
                    listText(kernel.writes, name), workText(estimate), estimate.bytesRead, estimate.bytesWritten,
                    estimate.registers, estimate.nanoseconds));
        if (!kernel.axes.empty())
            line({ScheduleLineKind::Kernel, index}, "  axes " + join(kernel.axes, ", ", [](const IterationAxis &axis) {
                                                        return format("{} {}", axis.name, axis.extent);
                                                    }));
        for (const NodeId member : kernel.members)
            line({ScheduleLineKind::Member, member.value}, memberText(kernel, member));
    }

    std::string memberText(const ScheduledKernel &kernel, NodeId member) const
    {
        const Node &node = m_schedule.graph->node(member);
        std::string text = format("  %{} = {} : {}", member.value, operationText(node), typeText(node.dtype, node.shape));
        const auto result = std::ranges::find(kernel.results, member);
        if (result != kernel.results.end())
            text += " -> " + name(kernel.writes[static_cast<std::size_t>(result - kernel.results.begin())]);
        if (std::ranges::find(kernel.stages, member) != kernel.stages.end())
            text += ", a stage by rows of " + rowsText(kernel);
        const auto plan = std::ranges::find(kernel.reductions, member, &ReductionPlan::node);
        return plan == kernel.reductions.end() ? text : text + reductionText(kernel, *plan);
    }

    // The axes that all stages have alike; those of one element are no axes.
    [[nodiscard]] std::string rowsText(const ScheduledKernel &kernel) const
    {
        const Shape &shape = m_schedule.graph->node(kernel.root).shape;
        const auto rows = std::count_if(shape.begin(), shape.begin() + kernel.rowAxes, [](std::int64_t n) { return n != 1; });
        return join(std::span(kernel.axes).first(static_cast<std::size_t>(rows)), " ",
                    [](const IterationAxis &axis) { return axis.name; });
    }

    static std::string reductionText(const ScheduledKernel &kernel, const ReductionPlan &plan)
    {
        std::string text;
        if (!plan.axes.empty())
            text = ", over " + join(plan.axes, " ", [&](std::uint32_t axis) { return kernel.axes[axis].name; });
        if (plan.stage != ReductionStage::Whole)
            text += format(", {}", nameOf(plan.stage));
        return text + (plan.mayReassociate ? ", in any order" : ", in order");
    }

    void printItems()
    {
        std::vector<std::string> waits(m_schedule.items.size());
        for (const DependencyKind kind : {DependencyKind::Data, DependencyKind::Control})
            addWaits(kind, waits);
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            const ScheduleItem &item = m_schedule.items[i];
            const RepeatedItems *repeat = m_schedule.repeatOf(i);
            if (repeat != nullptr && repeat->first == i)
                line({ScheduleLineKind::Item, i},
                     format("repeat items {} to {}, {}", repeat->first, repeat->end - 1, repeatText(*repeat)));
            if (!item.conditions.empty() && (i == 0 || m_schedule.items[i - 1].conditions != item.conditions))
                line({ScheduleLineKind::Item, i}, whenText(i));
            line({ScheduleLineKind::Item, i},
                 format("item {} {}: {}{}", i, nameOf(item.phase), itemText(m_schedule, item), waits[i]));
        }
    }

    // "8 steps of scan 0", "at most 8 steps of scan 0, while b3 holds"
    [[nodiscard]] std::string repeatText(const RepeatedItems &repeat) const
    {
        const std::string steps = format("{} steps of scan {}", stepsText(repeat.steps), repeat.scan);
        if (!repeat.condition.isValid())
            return steps;
        return format("{}{}, while {} holds", repeat.steps < kUnboundedSteps ? "at most " : "", steps,
                      m_schedule.buffer(repeat.condition).name);
    }

    // About all items from here on that have the same conditions.
    [[nodiscard]] std::string whenText(std::uint32_t first) const
    {
        const std::vector<ItemCondition> &conditions = m_schedule.items[first].conditions;
        std::uint32_t last = first;
        while (last + 1 < m_schedule.items.size() && m_schedule.items[last + 1].conditions == conditions)
            ++last;
        const std::string items = first == last ? format("item {}", first) : format("items {} to {}", first, last);
        return format("{} only when {}", items, conditionsText(conditions));
    }

    // " after 0 2", ", control 3 (b1) 4": the items waited for, and the buffers that they must be done with.
    void addWaits(DependencyKind kind, std::vector<std::string> &waits) const
    {
        std::vector<bool> hasOne(waits.size(), false);
        for (const Dependency &dependency : m_schedule.dependencies) {
            if (dependency.kind != kind)
                continue;
            std::string &text = waits.at(dependency.to);
            if (!hasOne[dependency.to])
                text += kind == DependencyKind::Data ? " after" : ", control";
            hasOne[dependency.to] = true;
            text += format(" {}", dependency.from);
            if (kind == DependencyKind::Control && !dependency.buffers.empty())
                text += format(" ({})", join(dependency.buffers, " ", name));
        }
    }

    std::string outputsText() const
    {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < m_schedule.outputs.size(); ++i)
            parts.push_back(format("{} = {}", m_schedule.graph->outputNames()[i], name(m_schedule.outputs[i])));
        return join(parts, ", ");
    }

    static std::string decisionText(const FusionDecision &decision)
    {
        return format("{} %{} -> %{} by {}: {}", decision.isFused ? "fused" : "apart", decision.producer.value,
                      decision.consumer.value, decision.rule, decision.reason);
    }

    const Schedule &m_schedule;
    ScheduleText m_out;
};

} // namespace

ScheduleText printSchedule(const Schedule &schedule)
{
    return SchedulePrinter(schedule).print();
}

} // namespace sw
