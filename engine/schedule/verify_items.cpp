#include "engine/schedule/verify_items.h"

#include "engine/schedule/conditions.h"
#include "engine/schedule/dependencies.h"
#include "engine/schedule/printer.h"
#include "engine/schedule/schedule_reporter.h"

#include <algorithm>
#include <iterator>

namespace sw {

namespace {

class ItemVerifier : public ScheduleReporter {
public:
    using ScheduleReporter::ScheduleReporter;

    void verify()
    {
        for (const ScheduleItem &item : m_schedule.items)
            m_uses.push_back(sortedUsesOf(item));
        checkLaunches();
        checkPhases();
        checkRepeats();
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i)
            std::visit([&](const auto &work) { check(work, i); }, m_schedule.items[i].work);
        checkWrites();
        if (checkDependencyOrder())
            checkWaits();
        checkCriticalPath();
    }

private:
    [[nodiscard]] ItemUses sortedUsesOf(const ScheduleItem &item) const
    {
        ItemUses uses = usesOf(m_schedule, item);
        std::ranges::sort(uses.reads);
        std::ranges::sort(uses.writes);
        return uses;
    }

    [[nodiscard]] Origin originOfItem(std::uint32_t item) const { return originOf(m_schedule, m_schedule.items[item]); }

    void checkLaunches()
    {
        std::vector<std::size_t> runs(m_schedule.kernels.size(), 0);
        for (const ScheduleItem &item : m_schedule.items)
            if (item.kernel().isValid())
                ++runs[item.kernel().value];
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i] != 1)
                report(m_schedule.kernels[i].origin, "kernel {} runs {} times, expected once", m_schedule.kernels[i].name,
                       runs[i]);
    }

    void checkPhases()
    {
        for (std::uint32_t i = 1; i < m_schedule.items.size(); ++i)
            if (m_schedule.items[i].phase < m_schedule.items[i - 1].phase)
                report(originOfItem(i), "item {} ({}) comes after item {} ({})", i, nameOf(m_schedule.items[i].phase), i - 1,
                       nameOf(m_schedule.items[i - 1].phase));
    }

    void checkRepeats()
    {
        std::uint32_t last = 0;
        for (const RepeatedItems &repeat : m_schedule.repeats) {
            const bool isRange = last <= repeat.first && repeat.first < repeat.end && repeat.end <= m_schedule.items.size();
            if (!isRange || repeat.steps < 1) {
                report(whole(), "items {} to {} are repeated {} times", repeat.first, repeat.end, repeat.steps);
                return;
            }
            last = repeat.end;
            checkCondition(repeat);
            for (std::uint32_t item = repeat.first; item < repeat.end; ++item)
                if (m_schedule.items[item].phase != Phase::Run)
                    report(originOfItem(item), "item {} ({}) is repeated", item, nameOf(m_schedule.items[item].phase));
        }
    }

    void checkCondition(const RepeatedItems &repeat)
    {
        if (!repeat.condition.isValid()) {
            if (repeat.steps >= kUnboundedSteps)
                report(whole(), "items {} to {} are repeated without an end", repeat.first, repeat.end);
            return;
        }
        if (repeat.condition.value >= m_schedule.buffers.size()) {
            report(whole(), "items {} to {} are repeated while buffer {} holds, which there is not", repeat.first, repeat.end,
                   repeat.condition.value);
            return;
        }
        const ScheduledBuffer &condition = m_schedule.buffer(repeat.condition);
        if (condition.dtype != DType::Bool || condition.shape.elements() != 1)
            report(condition.origin, "items {} to {} are repeated while buffer {} holds, which is {}", repeat.first, repeat.end,
                   condition.name, typeText(condition.dtype, condition.shape));
        else if (condition.lastItem + 1 < repeat.end)
            report(condition.origin, "items {} to {} are repeated while buffer {} holds, which lives until item {}", repeat.first,
                   repeat.end, condition.name, condition.lastItem);
    }

    void check(const KernelLaunch &launch, std::uint32_t)
    {
        const ScheduledKernel &kernel = m_schedule.kernel(launch.kernel);
        for (const auto *used : {&kernel.reads, &kernel.writes})
            for (const BufferId id : *used)
                if (m_schedule.buffer(id).device != kernel.device)
                    report(kernel.origin, "kernel {} runs on d{}, but buffer {} is on d{}", kernel.name, kernel.device.value,
                           m_schedule.buffer(id).name, m_schedule.buffer(id).device.value);
    }

    void check(const MemoryTransfer &transfer, std::uint32_t index)
    {
        const Phase phase = m_schedule.items[index].phase;
        if (!transfer.source.isValid() && !transfer.destination.isValid()) {
            report(whole(), "item {} moves from the host to the host", index);
            return;
        }
        if ((phase == Phase::Load) == transfer.source.isValid())
            report(originOfItem(index), "item {} ({}): what comes from the host is loaded, and only that", index, nameOf(phase));
        if ((phase == Phase::Fetch) == transfer.destination.isValid())
            report(originOfItem(index), "item {} ({}): what goes to the host is fetched, and only that", index, nameOf(phase));
        checkHostEnds(transfer, index);
        checkExtent(transfer, transfer.source, index);
        checkExtent(transfer, transfer.destination, index);
    }

    void checkHostEnds(const MemoryTransfer &transfer, std::uint32_t index)
    {
        if (!transfer.source.isValid()) {
            const ScheduledBuffer &destination = m_schedule.buffer(transfer.destination);
            const NodeId value = hostValueOf(m_schedule, destination);
            if (!value.isValid())
                report(originOfItem(index), "item {} uploads {}, which the host has no value for", index, destination.name);
            else
                checkHostPart(transfer, m_graph.node(value), index);
        }
        if (!transfer.destination.isValid() && std::ranges::find(m_schedule.outputs, transfer.source) == m_schedule.outputs.end())
            report(originOfItem(index), "item {} downloads {}, which is no output", index,
                   m_schedule.buffer(transfer.source).name);
    }

    // Checks that the part lies inside the host's value.
    void checkHostPart(const MemoryTransfer &transfer, const Node &value, std::uint32_t index)
    {
        const std::int64_t bytes = value.shape.elements() * static_cast<std::int64_t>(bytesOf(value.dtype));
        const StridedRegion part = transfer.region.value_or(StridedRegion{.rows = 1, .rowBytes = bytes});
        const std::int64_t end = part.sourceOffset + (part.rows - 1) * part.sourceStride + part.rowBytes;
        if (part.rows * part.rowBytes != transfer.bytes || part.sourceOffset < 0 || end > bytes)
            report(originOfItem(index), "item {} uploads {} bytes that are not in the {} bytes of the host's value", index,
                   transfer.bytes, bytes);
    }

    // One end of a transfer of rows, in bytes.
    struct PartEnd {
        std::int64_t first = 0;
        std::int64_t stride = 0;
        std::int64_t step = 0;
    };

    // In its first or its last step; the others are between them.
    [[nodiscard]] bool isOutside(const StridedRegion &part, PartEnd end, std::uint32_t index, std::int64_t bytes) const
    {
        const RepeatedItems *repeat = m_schedule.repeatOf(index);
        const std::int64_t steps = repeat == nullptr ? 1 : repeat->steps;
        for (const std::int64_t first : {end.first, end.first + (steps - 1) * end.step})
            if (first < 0 || first + (part.rows - 1) * end.stride + part.rowBytes > bytes)
                return true;
        return false;
    }

    void checkExtent(const MemoryTransfer &transfer, BufferId end, std::uint32_t index)
    {
        if (!end.isValid())
            return;
        const ScheduledBuffer &buffer = m_schedule.buffer(end);
        if (!transfer.region) {
            if (transfer.bytes != buffer.bytes())
                report(buffer.origin, "item {} moves {} bytes, but buffer {} has {}", index, transfer.bytes, buffer.name,
                       buffer.bytes());
            return;
        }
        const StridedRegion &part = *transfer.region;
        const bool isSource = end == transfer.source;
        const std::int64_t first = isSource ? part.sourceOffset : part.destinationOffset;
        const std::int64_t stride = isSource ? part.sourceStride : part.destinationStride;
        if (part.rows < 1 || part.rowBytes < 1 || part.rows * part.rowBytes != transfer.bytes ||
            (part.rows > 1 && stride < part.rowBytes))
            report(buffer.origin, "item {} moves {} bytes in {} rows of {} bytes, {} apart", index, transfer.bytes, part.rows,
                   part.rowBytes, stride);
        else if (isOutside(part, {first, stride, isSource ? part.sourceStep : part.destinationStep}, index, buffer.bytes()))
            report(buffer.origin, "item {} moves bytes that are outside of buffer {}", index, buffer.name);
    }

    void check(const Synchronization &wait, std::uint32_t index)
    {
        if ((wait.kind == SynchronizationKind::Event) != wait.event.has_value())
            report(whole(), "item {} ({}) names {}", index, nameOf(wait.kind), wait.event ? "an item" : "no item");
        const bool isStrictlyAscending =
            std::ranges::adjacent_find(wait.devices, std::ranges::greater_equal()) == wait.devices.end();
        const bool wantsDevices = wait.scope == SynchronizationScope::Device && !wait.event;
        if (wantsDevices == wait.devices.empty() || !isStrictlyAscending)
            report(whole(), "item {} waits for {} devices, in no proper order or not of its scope ({})", index,
                   wait.devices.size(), nameOf(wait.scope));
    }

    void check(const HostCallback &call, std::uint32_t index)
    {
        if (call.function.empty())
            report(originOfItem(index), "item {} calls a function without a name", index);
    }

    // The parts lie in the whole, one after the other, and fill it.
    void check(const Join &join, std::uint32_t index)
    {
        const ScheduledBuffer &whole = m_schedule.buffer(join.whole);
        std::int64_t end = whole.arenaOffset;
        for (const BufferId id : join.parts) {
            const ScheduledBuffer &part = m_schedule.buffer(id);
            if (m_schedule.rootOf(id) != m_schedule.rootOf(join.whole) || part.arenaOffset != end)
                report(originOfItem(index), "item {} joins {}, which does not lie in {} behind the part before", index, part.name,
                       whole.name);
            end = part.arenaOffset + part.bytes();
        }
        if (end != whole.arenaOffset + whole.bytes())
            report(originOfItem(index), "item {} joins parts that do not fill {}", index, whole.name);
    }

    // A buffer is written once as a whole, or part by part, or by one of several branches, or updated by an item that also reads
    // it.
    void checkWrites()
    {
        std::vector<std::uint32_t> writer(m_schedule.buffers.size(), kNoItem);
        const auto isPart = [&](std::uint32_t item) {
            const auto *transfer = std::get_if<MemoryTransfer>(&m_schedule.items[item].work);
            return (transfer != nullptr && transfer->region.has_value()) || isChoice(m_schedule, m_schedule.items[item]);
        };
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            const ItemUses &uses = m_uses[i];
            for (const BufferId read : uses.reads)
                if (writer[read.value] == kNoItem && m_graph.node(m_schedule.buffer(read).node).kind != NodeKind::Buffer)
                    report(m_schedule.buffer(read).origin, "item {} reads buffer {} before it is written", i,
                           m_schedule.buffer(read).name);
            for (const BufferId write : uses.writes) {
                const std::uint32_t before = writer[write.value];
                const bool isUpdate = std::ranges::binary_search(uses.reads, write);
                const bool isHandedOn =
                    m_graph.node(m_schedule.buffer(write).node).kind == NodeKind::ScanCarry && m_schedule.repeatOf(i) != nullptr;
                if (before != kNoItem && !isUpdate && !isHandedOn && !(isPart(before) && isPart(i)))
                    report(originOfItem(i), "buffer {} is written twice", m_schedule.buffer(write).name);
                writer[write.value] = i;
            }
        }
    }

    bool checkDependencyOrder()
    {
        const std::size_t before = errors.size();
        const Dependency *last = nullptr;
        for (const Dependency &dependency : m_schedule.dependencies) {
            if (dependency.from >= dependency.to)
                report(originOfItem(dependency.to), "item {} depends on item {}, which runs later", dependency.to,
                       dependency.from);
            if (last != nullptr && std::pair(last->to, last->from) >= std::pair(dependency.to, dependency.from))
                report(whole(), "the dependencies of items {} and {} are not in order", last->to, dependency.to);
            last = &dependency;
            if (dependency.kind == DependencyKind::Data)
                checkData(dependency);
        }
        return errors.size() == before;
    }

    void checkData(const Dependency &dependency)
    {
        const std::vector<BufferId> &written = m_uses[dependency.from].writes;
        const std::vector<BufferId> &read = m_uses[dependency.to].reads;
        for (const BufferId buffer : dependency.buffers)
            if (!std::ranges::binary_search(written, buffer) || !std::ranges::binary_search(read, buffer))
                report(originOfItem(dependency.to), "item {} does not read buffer {} from item {}", dependency.to,
                       m_schedule.buffer(buffer).name, dependency.from);
    }

    // Every necessary wait must be there, directly or through other items.
    void checkWaits()
    {
        ItemOrder order(m_schedule.items.size());
        for (const Dependency &dependency : m_schedule.dependencies)
            order.add(dependency.from, dependency.to);
        std::vector<Dependency> all = findDependencies(m_schedule);
        std::ranges::reverse(all); // by descending `from` per item, which is cheapest for ItemOrder
        for (const Dependency &needed : all) {
            if (order.isBefore(needed.from, needed.to))
                continue;
            const Origin origin = originOfItem(needed.to);
            if (needed.buffers.empty())
                report(origin, "item {} and item {} are not kept apart by a synchronisation", needed.from, needed.to);
            else if (needed.kind == DependencyKind::Data)
                report(origin, "item {} reads buffer {} but does not depend on item {}, which writes it", needed.to,
                       m_schedule.buffer(needed.buffers.front()).name, needed.from);
            else
                report(origin, "item {} overwrites the memory of buffer {} but does not wait for item {}, which uses it",
                       needed.to, m_schedule.buffer(needed.buffers.front()).name, needed.from);
        }
    }

    void checkCriticalPath()
    {
        const std::vector<std::uint32_t> &path = m_schedule.criticalPath;
        for (std::size_t i = 0; i < path.size(); ++i) {
            if (m_schedule.items[path[i]].phase != Phase::Run)
                report(originOfItem(path[i]), "item {} is on the critical path but not in the run", path[i]);
            if (i > 0 && !isListed(path[i - 1], path[i]))
                report(originOfItem(path[i]), "item {} follows item {} on the critical path but does not depend on it", path[i],
                       path[i - 1]);
        }
    }

    [[nodiscard]] bool isListed(std::uint32_t from, std::uint32_t to) const
    {
        const auto byItems = [](const Dependency &dependency) { return std::pair(dependency.to, dependency.from); };
        return std::ranges::binary_search(m_schedule.dependencies, std::pair(to, from), {}, byItems);
    }

    static constexpr std::uint32_t kNoItem = ~std::uint32_t{0};

    std::vector<ItemUses> m_uses; // by item, each list in order
};

} // namespace

Diagnostics verifyItems(const Schedule &schedule)
{
    Diagnostics errors = errorsOf<ItemVerifier>(schedule);
    Diagnostics more = verifyConditions(schedule);
    errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return errors;
}

} // namespace sw
