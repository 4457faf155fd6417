#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/api/describe_schedule_parts.h"
#include "engine/api/explanation.h"
#include "engine/schedule/printer.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace sw {

namespace {

DocumentItem decisionItem(const Schedule &schedule, const FusionDecision &decision)
{
    const auto nameOfNode = [&](NodeId id) { return format("%{} {}", id.value, operationText(schedule.graph->node(id))); };
    DocumentItem item;
    item.label = format("{} -> {}", nameOfNode(decision.producer), nameOfNode(decision.consumer));
    item.detail = decision.reason;
    item.tags = {"decision", decision.isFused ? "fused" : "not-fused"};
    if (const std::optional<double> miss = missOf(decision); miss && *miss < kNearMiss)
        item.tags.emplace_back("near-miss");
    item.sources = sourcesOf(decision.origin);
    item.kernel = indexOf(schedule.kernelOf(decision.consumer));
    return item;
}

std::vector<DocumentField> decisionFields(const FusionDecision &decision, const ValuePaths &paths)
{
    std::vector<DocumentField> fields{{"decision", decision.isFused ? "in one kernel" : "apart"},
                                      {"rule", decision.rule},
                                      {"reason", decision.reason},
                                      {"traffic", bytesText(decision.bytesSaved)},
                                      {"to override", toText(oppositeOf(decision, paths))}};
    if (const std::optional<double> miss = missOf(decision))
        fields.push_back({"beyond the limit", format("{:.0f} %", 100 * *miss)});
    return fields;
}

std::map<std::uint32_t, std::vector<BufferId>> aliasGroups(const Schedule &schedule)
{
    std::map<std::uint32_t, std::vector<BufferId>> groups;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (const auto group = schedule.buffers[i].aliasGroup)
            groups[*group].emplace_back(i);
    return groups;
}

// The fields of kernels, buffers and decisions, which have the numbers that ScheduleItems gives them.
class ScheduleFields final : public ListMaker<DocumentField> {
public:
    ScheduleFields(SchedulePtr schedule, LoopProgramPtr loops, StepEstimates estimates)
        : m_schedule(std::move(schedule)),
          m_loops(std::move(loops)),
          m_estimates(std::move(estimates)),
          m_groups(aliasGroups(*m_schedule)),
          m_launches(m_schedule->kernels.size(), nullptr)
    {
        for (const ScheduleItem &step : m_schedule->items)
            if (step.kernel().isValid())
                m_launches[step.kernel().value] = &step;
    }

    [[nodiscard]] std::vector<DocumentField> make(std::uint32_t number) const override
    {
        const std::size_t kernels = m_schedule->kernels.size();
        const std::size_t buffers = m_schedule->buffers.size();
        if (number < kernels)
            return ofKernel(KernelId(number));
        if (number < kernels + buffers)
            return ofBuffer(BufferId(number - kernels));
        return decisionFields(m_schedule->decisions.at(number - kernels - buffers), paths());
    }

private:
    [[nodiscard]] const ValuePaths &paths() const
    {
        std::call_once(m_hasPaths, [this] { m_paths.emplace(*m_schedule->graph); });
        return *m_paths;
    }
    // Each computed value that is read inside of its kernel could be stored; each kernel could have other loops.
    [[nodiscard]] std::vector<DocumentField> ofKernel(KernelId id) const
    {
        const LoopNest *nest = m_loops == nullptr ? nullptr : m_loops->nests.at(id.value).get();
        std::vector<DocumentField> fields = kernelFields(*m_schedule, id, m_launches[id.value], nest, m_estimates);
        if (nest != nullptr)
            fields.push_back({"to override", toText(loopsOf(*nest, *m_schedule, paths()))});
        return fields;
    }
    [[nodiscard]] std::vector<DocumentField> ofBuffer(BufferId id) const
    {
        const ScheduledBuffer &buffer = m_schedule->buffer(id);
        const auto group = buffer.aliasGroup;
        std::vector<DocumentField> fields =
            bufferFields(*m_schedule, id, group ? std::span(m_groups.at(*group)) : std::span<const BufferId>());
        if (buffer.role == BufferRole::Intermediate)
            fields.push_back({"to override", toText(Override{.kind = OverrideKind::Store, .value = paths().of(buffer.node)})});
        return fields;
    }

    SchedulePtr m_schedule;
    LoopProgramPtr m_loops; // null: there are none
    StepEstimates m_estimates;
    std::map<std::uint32_t, std::vector<BufferId>> m_groups;
    std::vector<const ScheduleItem *> m_launches; // by kernel
    mutable std::once_flag m_hasPaths;
    mutable std::optional<ValuePaths> m_paths;
};

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

StageDocumentPtr describeSchedule(const SchedulePtr &given, const LoopProgramPtr &loops, std::span<const DeviceFigures> figures,
                                  const std::stop_token &stop)
{
    const Schedule &schedule = *given;
    const StepEstimates estimates = estimateSteps(schedule, figures);
    StageDocument document;
    document.kind = StageKind::Schedule;
    document.title = "Kernels";
    for (std::size_t i = 0; i < schedule.kernels.size() && !stop.stop_requested(); ++i)
        document.items.push_back(describeKernel(schedule, KernelId(i)));
    if (stop.stop_requested())
        return std::make_shared<const StageDocument>(std::move(document));
    for (const std::uint32_t step : estimates.path.items)
        if (const KernelId kernel = schedule.items.at(step).kernel(); kernel.isValid())
            document.items[kernel.value].tags.emplace_back("critical");
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        document.items.push_back(describeBuffer(schedule, BufferId(i)));
    nameDevices(document, schedule);
    for (const FusionDecision &decision : schedule.decisions)
        document.items.push_back(decisionItem(schedule, decision));
    const auto fields = std::make_shared<const ScheduleFields>(given, loops, estimates);
    for (std::size_t i = 0; i < document.items.size(); ++i)
        document.items[i].fields = SharedList<DocumentField>::later(fields, static_cast<std::uint32_t>(i));
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

StageDocumentPtr describeSchedule(const Schedule &schedule, const LoopProgram *loops, std::span<const DeviceFigures> figures,
                                  const std::stop_token &stop)
{
    return withAllFields(describeSchedule(notOwned(schedule), notOwned(loops), figures, stop));
}

} // namespace sw
