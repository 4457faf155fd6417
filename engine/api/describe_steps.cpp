#include "engine/api/describe_common.h"
#include "engine/api/describe_schedule_parts.h"
#include "engine/schedule/layout.h"

#include <algorithm>

namespace sw {

namespace {

std::string stepText(const Schedule &schedule, std::uint32_t step)
{
    return step < schedule.items.size() ? format("{} ({})", step, titleOf(schedule, schedule.items[step])) : format("{}", step);
}

std::string layoutText(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    const BufferLayout layout = layoutOf(schedule, buffer);
    std::string text = layout.strides.empty() ? "one element" : "strides " + join(layout.strides, ", ");
    if (!layout.contiguousAxes.empty())
        text += "; contiguous along axis " + join(layout.contiguousAxes, ", ");
    if (layout.vectorWidth > 1)
        text += format("; {} at once", layout.vectorWidth);
    return text;
}

std::string neighboursText(const Schedule &schedule, BufferId id, std::span<const BufferId> neighbours)
{
    constexpr std::size_t kMostNames = 8;
    std::vector<std::string> names;
    for (const BufferId other : neighbours) {
        if (names.size() == kMostNames) {
            names.push_back(format("{} more", neighbours.size() - 1 - kMostNames));
            break;
        }
        if (other != id)
            names.push_back(schedule.buffer(other).name);
    }
    return join(names, ", ");
}

std::string waitsText(const Schedule &schedule, std::uint32_t index)
{
    std::vector<std::string> names;
    for (const Dependency &dependency : schedule.dependencies)
        if (dependency.to == index)
            names.push_back(titleOf(schedule, schedule.items[dependency.from]));
    return names.empty() ? "nothing" : join(names, ", ");
}

struct StepDetail {
    const Schedule &schedule;

    DocumentItem operator()(const KernelLaunch &) const { SW_UNREACHABLE(); }

    DocumentItem operator()(const MemoryTransfer &transfer) const
    {
        const auto end = [&](BufferId id) {
            return id.isValid() ? format("{} on {}", schedule.buffer(id).name, schedule.device(schedule.buffer(id).device).id)
                                : std::string("the host");
        };
        DocumentItem item;
        item.detail = bytesText(transfer.bytes);
        item.fields = {{"from", end(transfer.source)}, {"to", end(transfer.destination)}, {"moves", bytesText(transfer.bytes)}};
        if (transfer.region)
            item.fields.push_back({"part", format("{} rows of {}", transfer.region->rows, bytesText(transfer.region->rowBytes))});
        item.fields.push_back({"the next steps", transfer.isAsynchronous ? "need not wait for it" : "wait for it"});
        item.tags = {"transfer"};
        return item;
    }

    DocumentItem operator()(const Synchronization &wait) const
    {
        DocumentItem item;
        item.detail = wait.event ? "" : std::string(nameOf(wait.scope));
        item.fields = {{"kind", std::string(nameOf(wait.kind))}, {"scope", std::string(nameOf(wait.scope))}};
        if (!wait.devices.empty())
            item.fields.push_back(
                {"devices", join(wait.devices, ", ", [&](DeviceSlot slot) { return schedule.device(slot).id; })});
        item.tags = {"synchronization"};
        return item;
    }

    DocumentItem operator()(const HostCallback &call) const
    {
        const auto names = [&](const std::vector<BufferId> &ids) {
            return ids.empty() ? "nothing" : join(ids, ", ", [&](BufferId id) { return schedule.buffer(id).name; });
        };
        DocumentItem item;
        item.detail = "host";
        item.fields = {{"function", call.function}, {"reads", names(call.inputs)}, {"writes", names(call.outputs)}};
        item.tags = {"callback"};
        return item;
    }

    DocumentItem operator()(const Join &of) const
    {
        DocumentItem item;
        item.detail = bytesText(schedule.buffer(of.whole).bytes());
        item.fields = {{"parts", join(of.parts, ", ", [&](BufferId id) { return schedule.buffer(id).name; })},
                       {"moves", "nothing: the parts are stored where they lie in " + schedule.buffer(of.whole).name}};
        item.tags = {"join"};
        item.node = schedule.buffer(of.whole).node.value;
        return item;
    }
};

// In their order, but parts of others last, and the larger before the smaller: what is drawn later lies above.
std::vector<BufferId> drawnBuffers(const Schedule &schedule)
{
    std::vector<BufferId> drawn;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        drawn.emplace_back(i);
    std::ranges::stable_sort(drawn, {}, [&](BufferId id) {
        const ScheduledBuffer &buffer = schedule.buffer(id);
        return std::pair(buffer.partOf.has_value(), buffer.partOf ? -buffer.bytes() : 0);
    });
    return drawn;
}

} // namespace

std::string whenText(const Schedule &schedule, const ScheduleItem &item)
{
    return join(item.conditions, " and ",
                [&](const ItemCondition &one) { return format("{} is {}", schedule.buffer(one.buffer).name, one.wanted); });
}

DocumentItem describeBuffer(const Schedule &schedule, BufferId id)
{
    const ScheduledBuffer &buffer = schedule.buffer(id);
    DocumentItem item;
    item.label = buffer.name;
    item.detail = typeText(buffer.dtype, buffer.shape);
    item.tags = {"buffer", std::string(nameOf(buffer.role))};
    if (buffer.partOf)
        item.tags.emplace_back("part");
    item.sources = sourcesOf(buffer.origin);
    item.node = buffer.node.value;
    return item;
}

std::vector<DocumentField> bufferFields(const Schedule &schedule, BufferId id, std::span<const BufferId> neighbours)
{
    const ScheduledBuffer &buffer = schedule.buffer(id);
    std::vector<DocumentField> fields;
    const auto add = [&](const char *name, std::string value) { fields.push_back({name, std::move(value)}); };
    add("role", std::string(nameOf(buffer.role)));
    add("size", bytesText(buffer.bytes()));
    add("layout", layoutText(schedule, buffer));
    add("needed from step", stepText(schedule, buffer.firstItem));
    add("to step", stepText(schedule, buffer.lastItem));
    add("place", format("byte {} of the arena of {}", buffer.arenaOffset, schedule.device(buffer.device).id));
    add("aligned to", bytesText(layoutOf(schedule, buffer).alignment));
    if (buffer.partOf)
        add("part of", format("{}, from byte {}", schedule.buffer(buffer.partOf->whole).name, buffer.partOf->offset));
    if (buffer.aliasGroup)
        add("shares memory with", neighboursText(schedule, id, neighbours));
    return fields;
}

// "at most 100 times, while t7 holds, with items 3 to 5"
std::string repeatText(const Schedule &schedule, const RepeatedItems &repeat)
{
    const bool isBounded = repeat.steps < kUnboundedSteps;
    std::string times = isBounded ? format("{} times, ", repeat.steps) : std::string();
    if (repeat.condition.isValid())
        times = format("{}{}while {} holds, ", isBounded ? "at most " : "", times, schedule.buffer(repeat.condition).name);
    return format("{}with items {} to {}", times, repeat.first, repeat.end - 1);
}

DocumentItem describeStep(const Schedule &schedule, std::uint32_t index, const StepEstimates &estimates)
{
    const ScheduleItem &step = schedule.items.at(index);
    DocumentItem item = std::visit(StepDetail{schedule}, step.work);
    item.label = titleOf(schedule, step);
    std::vector<DocumentField> &fields = item.fields.edit();
    fields.insert(fields.begin(), {"step", format("{}, {}", index, nameOf(step.phase))});
    if (const RepeatedItems *repeat = schedule.repeatOf(index))
        item.fields.push_back({"repeated", repeatText(schedule, *repeat)});
    if (!step.conditions.empty())
        item.fields.push_back({"runs only when", whenText(schedule, step)});
    item.fields.push_back({"after", waitsText(schedule, index)});
    item.fields.push_back({"estimate", nanosecondsText(estimates.items.at(index))});
    item.tags.emplace_back(nameOf(step.phase));
    // A step that moves values between buffers stands among the kernels; others appear only in the order of the steps.
    const ItemUses uses = usesOf(schedule, step);
    if (uses.reads.empty() || uses.writes.empty()) {
        std::vector<std::string> &tags = item.tags.edit();
        tags.insert(tags.begin(), "step");
    }
    item.sources = sourcesOf(originOf(schedule, step));
    return item;
}

std::vector<DocumentChart> memoryCharts(const Schedule &schedule, const std::vector<ItemIndex> &steps)
{
    std::vector<DocumentChart> charts;
    for (const ScheduledDevice &device : schedule.devices)
        charts.push_back({.title = device.id, .height = device.arenaBytes, .held = 0, .steps = steps, .bars = {}});
    for (const BufferId id : drawnBuffers(schedule)) {
        const ScheduledBuffer &buffer = schedule.buffer(id);
        DocumentChart &chart = charts.at(buffer.device.value);
        const std::int64_t end = buffer.arenaOffset + buffer.bytes();
        if (buffer.bytes() > 0)
            chart.bars.push_back({static_cast<ItemIndex>(schedule.kernels.size() + id.value), buffer.firstItem, buffer.lastItem,
                                  buffer.arenaOffset, end});
        if (isHeld(schedule, buffer))
            chart.held = std::max(chart.held, end);
    }
    return charts;
}

} // namespace sw
