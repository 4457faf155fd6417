#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/describe_schedule_parts.h"
#include "engine/api/explanation.h"
#include "engine/schedule/printer.h"

#include <map>

namespace sw {

namespace {

DocumentItem decisionItem(const Schedule &schedule, const FusionDecision &decision, const ValuePaths &paths)
{
    const auto nameOfNode = [&](NodeId id) { return format("%{} {}", id.value, operationText(schedule.graph->node(id))); };
    DocumentItem item;
    item.label = format("{} -> {}", nameOfNode(decision.producer), nameOfNode(decision.consumer));
    item.detail = decision.reason;
    item.fields = {{"decision", decision.isFused ? "in one kernel" : "apart"},
                   {"rule", decision.rule},
                   {"reason", decision.reason},
                   {"traffic", bytesText(decision.bytesSaved)},
                   {"to override", toText(oppositeOf(decision, paths))}};
    item.tags = {"decision", decision.isFused ? "fused" : "not-fused"};
    if (const std::optional<double> miss = missOf(decision)) {
        item.fields.push_back({"beyond the limit", format("{:.0f} %", 100 * *miss)});
        if (*miss < kNearMiss)
            item.tags.emplace_back("near-miss");
    }
    item.sources = sourcesOf(decision.origin);
    item.kernel = indexOf(schedule.kernelOf(decision.consumer));
    return item;
}

// Each computed value that is read inside of its kernel could be stored; each kernel could have other loops.
void addOverrides(StageDocument &document, const Schedule &schedule, const LoopProgram *loops, const ValuePaths &paths)
{
    const ScheduleItems items(schedule);
    const auto add = [&](ItemIndex item, const Override &override) {
        document.items.at(item).fields.push_back({"to override", toText(override)});
    };
    for (std::size_t i = 0; loops != nullptr && i < schedule.kernels.size(); ++i)
        add(items.kernel(KernelId(i)), loopsOf(*loops->nests.at(i), schedule, paths));
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (schedule.buffers[i].role == BufferRole::Intermediate)
            add(items.buffer(BufferId(i)), {.kind = OverrideKind::Store, .value = paths.of(schedule.buffers[i].node)});
}

std::map<std::uint32_t, std::vector<BufferId>> aliasGroups(const Schedule &schedule)
{
    std::map<std::uint32_t, std::vector<BufferId>> groups;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (const auto group = schedule.buffers[i].aliasGroup)
            groups[*group].emplace_back(i);
    return groups;
}

// The document's item of each step; kernels already have one.
std::vector<ItemIndex> stepItems(const Schedule &schedule)
{
    const ScheduleItems items(schedule);
    ItemIndex next = items.decision(schedule.decisions.size());
    std::vector<ItemIndex> steps;
    for (const ScheduleItem &item : schedule.items)
        steps.push_back(item.kernel().isValid() ? items.kernel(item.kernel()) : next++);
    return steps;
}

// A member's line belongs to its kernel.
ItemIndex itemOfLine(const Schedule &schedule, const std::vector<ItemIndex> &steps, const ScheduleLine &line)
{
    const ScheduleItems items(schedule);
    switch (line.kind) {
    case ScheduleLineKind::Header:
        return kNoIndex;
    case ScheduleLineKind::Buffer:
        return items.buffer(BufferId(line.index));
    case ScheduleLineKind::Kernel:
        return items.kernel(KernelId(line.index));
    case ScheduleLineKind::Member:
        return items.kernel(schedule.kernelOf(NodeId(line.index)));
    case ScheduleLineKind::Item:
        return steps.at(line.index);
    case ScheduleLineKind::Decision:
        return items.decision(line.index);
    }
    SW_UNREACHABLE();
}

// Links the steps that compute or move values through the buffers between them.
void addEdges(StageDocument &document, const Schedule &schedule, const std::vector<ItemIndex> &steps)
{
    const ScheduleItems items(schedule);
    const auto labelOf = [&](BufferId id) { return typeText(schedule.buffer(id).dtype, schedule.buffer(id).shape); };
    for (std::size_t i = 0; i < schedule.items.size(); ++i) {
        const ItemUses uses = usesOf(schedule, schedule.items[i]);
        if (!schedule.items[i].kernel().isValid() && (uses.reads.empty() || uses.writes.empty()))
            continue;
        for (const BufferId read : uses.reads)
            document.edges.push_back({items.buffer(read), steps[i], labelOf(read), kNoIndex});
        for (const BufferId written : uses.writes)
            document.edges.push_back({steps[i], items.buffer(written), labelOf(written), kNoIndex});
    }
}

// When there are several devices, each kernel and buffer says which one it is on.
void nameDevices(StageDocument &document, const Schedule &schedule)
{
    if (schedule.devices.size() < 2)
        return;
    const ScheduleItems items(schedule);
    const auto add = [&](ItemIndex item, DeviceSlot slot) {
        std::string &detail = document.items.at(item).detail;
        detail += format("{}on {}", detail.empty() ? "" : " ", schedule.device(slot).id);
    };
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        add(items.kernel(KernelId(i)), schedule.kernels[i].device);
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        add(items.buffer(BufferId(i)), schedule.buffers[i].device);
}

} // namespace

StageDocumentPtr describeSchedule(const Schedule &schedule, const LoopProgram *loops, std::span<const DeviceFigures> figures,
                                  const std::stop_token &stop)
{
    const StepEstimates estimates = estimateSteps(schedule, figures);
    StageDocument document;
    document.kind = StageKind::Schedule;
    document.title = "Kernels";
    for (std::size_t i = 0; i < schedule.kernels.size() && !stop.stop_requested(); ++i)
        document.items.push_back(describeKernel(schedule, KernelId(i), loops, estimates));
    if (stop.stop_requested())
        return std::make_shared<const StageDocument>(std::move(document));
    for (const std::uint32_t step : estimates.path.items)
        if (const KernelId kernel = schedule.items.at(step).kernel(); kernel.isValid())
            document.items[kernel.value].tags.emplace_back("critical");
    for (const ScheduleItem &step : schedule.items)
        if (step.kernel().isValid() && step.phase == Phase::Load)
            document.items[step.kernel().value].fields.push_back({"runs", "once, when the program is loaded"});
    const auto groups = aliasGroups(schedule);
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const auto group = schedule.buffers[i].aliasGroup;
        const std::span<const BufferId> neighbours = group ? std::span(groups.at(*group)) : std::span<const BufferId>();
        document.items.push_back(describeBuffer(schedule, BufferId(i), neighbours));
    }
    nameDevices(document, schedule);
    const ValuePaths paths(*schedule.graph);
    for (const FusionDecision &decision : schedule.decisions)
        document.items.push_back(decisionItem(schedule, decision, paths));
    addOverrides(document, schedule, loops, paths);
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i)
        if (!schedule.items[i].kernel().isValid())
            document.items.push_back(describeStep(schedule, i, estimates));
    const std::vector<ItemIndex> steps = stepItems(schedule);
    addEdges(document, schedule, steps);
    document.charts = memoryCharts(schedule, steps);
    const ScheduleText text = printSchedule(schedule);
    addLines(document, text.text,
             [&](std::size_t number, std::string_view) { return itemOfLine(schedule, steps, text.lines.at(number)); });
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
