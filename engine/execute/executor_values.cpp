// What buffers hold in the middle of a run.

#include "engine/execute/dimensions.h"
#include "engine/execute/executor.h"
#include "engine/schedule/dependencies.h"
#include "engine/types/box.h"

#include <algorithm>
#include <utility>

namespace sw {

Result<std::vector<std::optional<HostTensor>>> Executor::runAndKeep(std::span<const BufferId> buffers,
                                                                    const std::stop_token &stop, std::optional<std::int64_t> step)
{
    SW_CHECK(load(stop));
    std::vector<WantedValue> values = wantedValues(buffers, step);
    std::vector<std::optional<HostTensor>> kept(buffers.size());
    const auto keep = [&](std::size_t wanted) -> Result<Done> {
        SW_TRY(HostTensor value, m_runner.download(buffers[wanted]));
        kept[wanted] = withoutRest(buffers[wanted], std::move(value));
        return Done{};
    };
    for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
        if (!values[wanted].isOpen)
            SW_CHECK(keep(wanted));
    Samples samples(schedule().items.size());
    for (const Phase phase : {Phase::Load, Phase::Run}) {
        const auto isOpenHere = [phase](const WantedValue &value) { return value.isOpen && value.phase == phase; };
        ItemWalk walk(schedule(), m_order, phase);
        while (std::ranges::any_of(values, isOpenHere)) {
            SW_TRY(const std::optional<ItemRun> run, runNext(walk, stop, samples));
            if (!run)
                break;
            for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
                if (isOpenHere(values[wanted]) && values[wanted].isThereAfter(*run, walk) &&
                    !m_isSkipped[values[wanted].last.item])
                    SW_CHECK(keep(wanted));
        }
    }
    return kept;
}

std::int64_t Executor::stepsMadeOf(std::int64_t scan) const
{
    for (std::size_t i = 0; i < m_stepsMade.size(); ++i)
        if (schedule().repeats[i].scan == scan)
            return m_stepsMade[i];
    return 0;
}

// Whether this run leaves the value, or one that may turn out to be it, in memory. Closes it when no other can.
bool Executor::WantedValue::isThereAfter(const ItemRun &run, const ItemWalk &walk)
{
    const bool isItem = run.item == last.item;
    if (repeat == nullptr) {
        isOpen = !isItem;
        return isItem;
    }
    const bool endsStep = walk.endedStep() == repeat;
    const bool endsScan = endsStep && !walk.isRepeating();
    if (begin == run.item)
        return true;
    if (when == When::Scan) {
        isOpen = !endsScan;
        return endsScan;
    }
    const bool isLast = when == When::NextStep ? endsStep && run.step == last.step : isItem && run.step == last.step;
    isOpen = !isLast && !endsScan;
    if (when == When::NextStep) // what the last of all steps hands on is no step's value
        return endsStep && !endsScan && (isLast || repeat->condition.isValid());
    return isLast || (isItem && repeat->condition.isValid());
}

// Of each buffer: the last item, and of a repeat its last step, that makes what is wanted of it. Closed: it is there since the
// load phase.
std::vector<Executor::WantedValue> Executor::wantedValues(std::span<const BufferId> buffers,
                                                          std::optional<std::int64_t> step) const
{
    std::vector<WantedValue> wanted(buffers.size());
    for (const std::uint32_t item : m_order) {
        const Phase phase = schedule().items[item].phase;
        const auto isMadeHere = [&](BufferId buffer) {
            const std::uint32_t last = schedule().buffer(buffer).lastItem;
            return phase == Phase::Run || (phase == Phase::Load && schedule().items[last].phase == Phase::Load);
        };
        const std::vector<BufferId> writes = usesOf(schedule(), schedule().items[item]).writes;
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (std::ranges::find(writes, buffers[i]) != writes.end() && isMadeHere(buffers[i]))
                if (WantedValue value = valueMadeBy(item, buffers[i], step); value.last.step >= 0) {
                    if (value.when == When::NextStep && wanted[i].isOpen)
                        value.begin = wanted[i].last.item;
                    wanted[i] = value;
                }
    }
    return wanted;
}

// What the item leaves in the buffer. A negative step: nothing that belongs to the wanted step, or to one before it.
Executor::WantedValue Executor::valueMadeBy(std::uint32_t item, BufferId buffer, std::optional<std::int64_t> step) const
{
    const RepeatedItems *repeat = schedule().repeatOf(item);
    WantedValue made{.phase = schedule().items[item].phase, .last = {item, 0}, .repeat = repeat, .isOpen = true};
    if (repeat == nullptr)
        return made;
    made.last.step = step.value_or(repeat->steps - 1);
    const NodeId node = schedule().buffer(buffer).node;
    if (schedule().graph->node(node).kind == NodeKind::ScanRows)
        made.when = When::Scan;
    if (schedule().graph->node(node).kind == NodeKind::ScanCarry && schedule().bufferOf(node) == buffer) {
        made.when = When::NextStep;
        --made.last.step;
    }
    return made;
}

// What the run did not compute is 0, whatever the memory holds there.
HostTensor Executor::withoutRest(BufferId buffer, HostTensor value) const
{
    const Graph &graph = *schedule().graph;
    const ScheduledBuffer &of = schedule().buffer(buffer);
    const Shape needed = neededShapeOf(graph, NeededExtents(graph), of.node, m_dimensions);
    const Shape &whole = graph.node(of.node).shape;
    if (graph.node(of.node).kind == NodeKind::Placeholder || needed == whole || whole.elements() != value.elements())
        return value;
    return onlyFirst(value.reshaped(whole), needed).reshaped(of.shape);
}

} // namespace sw
