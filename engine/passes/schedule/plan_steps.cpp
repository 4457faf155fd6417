#include "engine/passes/schedule/plan_steps.h"

#include "engine/passes/schedule/memory_plan.h"
#include "engine/schedule/dependencies.h"
#include "engine/schedule/layout.h"
#include "engine/schedule/step_estimates.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sw {

namespace {

bool isLoad(const ScheduleItem &item)
{
    return item.phase == Phase::Load;
}

bool isGiven(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    const NodeKind kind = schedule.graph->node(buffer.node).kind;
    return kind == NodeKind::Placeholder || kind == NodeKind::Vconst;
}

ScheduleItem loadOf(const Schedule &schedule, BufferId buffer)
{
    return {MemoryTransfer{.destination = buffer, .bytes = schedule.buffer(buffer).bytes()}, Phase::Load};
}

// By buffer: a kernel of the load phase reads it, and nothing else does. It is gone before the run begins.
std::vector<bool> spentBuffers(const Schedule &schedule, const std::vector<ScheduleItem> &steps)
{
    std::vector<bool> isSpent(schedule.buffers.size(), false);
    std::vector<bool> isUsedLater(schedule.buffers.size(), false);
    for (const ScheduleItem &item : steps)
        for (const BufferId read : usesOf(schedule, item).reads)
            (isLoad(item) ? isSpent : isUsedLater)[read.value] = true;
    for (const BufferId output : schedule.outputs)
        isUsedLater[output.value] = true;
    for (std::size_t i = 0; i < isSpent.size(); ++i)
        isSpent[i] = isSpent[i] && !isUsedLater[i];
    return isSpent;
}

// Adds the loads of given values, and what the program computes with them before all runs. What only that needs is loaded right
// before, so that it takes memory no longer than it has to.
void addLoads(Schedule &schedule, const std::vector<ScheduleItem> &steps)
{
    const std::vector<bool> isSpent = spentBuffers(schedule, steps);
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (isGiven(schedule, schedule.buffers[i]) && !isSpent[i])
            schedule.items.push_back(loadOf(schedule, BufferId(i)));
    std::set<BufferId> loaded;
    for (const ScheduleItem &item : steps) {
        if (!isLoad(item))
            continue;
        for (const BufferId read : usesOf(schedule, item).reads)
            if (isGiven(schedule, schedule.buffer(read)) && isSpent[read.value] && loaded.insert(read).second)
                schedule.items.push_back(loadOf(schedule, read));
        schedule.items.push_back(item);
    }
}

// Adds the run, then a barrier that waits for all the devices that take part in it.
void addRun(Schedule &schedule, std::vector<ScheduleItem> steps)
{
    std::set<DeviceSlot> devices;
    for (ScheduleItem &item : steps) {
        if (isLoad(item))
            continue;
        const std::vector<DeviceSlot> used = devicesOf(schedule, item);
        devices.insert(used.begin(), used.end());
        schedule.items.push_back(std::move(item));
    }
    if (devices.empty())
        return;
    Synchronization barrier{.kind = SynchronizationKind::Barrier, .scope = SynchronizationScope::Device};
    barrier.devices.assign(devices.begin(), devices.end());
    schedule.items.push_back({std::move(barrier), Phase::Run});
}

// The repeats where addRun puts their items: behind all that is loaded. No step within a repeat loads something.
std::vector<RepeatedItems> placedRepeats(const std::vector<ScheduleItem> &steps, std::vector<RepeatedItems> repeats,
                                         std::size_t loaded)
{
    for (RepeatedItems &repeat : repeats) {
        const auto before = std::count_if(steps.begin(), steps.begin() + repeat.first, isLoad);
        const auto behind = static_cast<std::uint32_t>(loaded) - static_cast<std::uint32_t>(before);
        repeat.first += behind;
        repeat.end += behind;
    }
    return repeats;
}

// What items of a repeat share with others has its memory during all of the steps.
void coverRepeats(Schedule &schedule)
{
    for (const RepeatedItems &repeat : schedule.repeats) {
        if (repeat.condition.isValid()) {
            ScheduledBuffer &condition = schedule.buffers[repeat.condition.value];
            condition.lastItem = std::max(condition.lastItem, repeat.end - 1);
        }
        for (std::uint32_t item = repeat.first; item < repeat.end; ++item) {
            const ItemUses uses = usesOf(schedule, schedule.items[item]);
            for (const auto *used : {&uses.reads, &uses.writes})
                for (const BufferId id : *used) {
                    ScheduledBuffer &buffer = schedule.buffers[id.value];
                    if (buffer.firstItem >= repeat.first && buffer.lastItem < repeat.end)
                        continue;
                    buffer.firstItem = std::min(buffer.firstItem, repeat.first);
                    buffer.lastItem = std::max(buffer.lastItem, repeat.end - 1);
                }
        }
    }
}

void addFetches(Schedule &schedule)
{
    std::set<BufferId> fetched;
    for (const BufferId output : schedule.outputs)
        if (fetched.insert(output).second)
            schedule.items.push_back({MemoryTransfer{.source = output, .bytes = schedule.buffer(output).bytes()}, Phase::Fetch});
}

void findLifetimes(Schedule &schedule)
{
    constexpr std::uint32_t kNever = ~std::uint32_t{0};
    for (ScheduledBuffer &buffer : schedule.buffers) {
        buffer.firstItem = kNever;
        buffer.lastItem = 0;
    }
    std::vector<bool> isUsedByRun(schedule.buffers.size(), false); // or is there for whoever asks, because nothing uses it
    std::uint32_t endOfRun = 0;
    for (std::uint32_t item = 0; item < schedule.items.size(); ++item) {
        if (schedule.items[item].phase != Phase::Fetch)
            endOfRun = item;
        const ItemUses uses = usesOf(schedule, schedule.items[item]);
        for (const auto *used : {&uses.reads, &uses.writes})
            for (const BufferId id : *used) {
                ScheduledBuffer &buffer = schedule.buffers[id.value];
                buffer.firstItem = std::min(buffer.firstItem, item);
                buffer.lastItem = item;
                isUsedByRun[id.value] = isUsedByRun[id.value] || !isLoad(schedule.items[item]);
            }
    }
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        ScheduledBuffer &buffer = schedule.buffers[i];
        const bool isZeros =
            schedule.graph->node(buffer.node).kind == NodeKind::Buffer && buffer.role != BufferRole::Intermediate;
        if (buffer.firstItem == kNever || isZeros)
            buffer.firstItem = 0;
        const bool isLoaded = buffer.firstItem < schedule.items.size() && isLoad(schedule.items[buffer.firstItem]);
        const bool isUnused = buffer.firstItem == buffer.lastItem;
        if (isZeros || (isLoaded && (isUsedByRun[i] || isUnused)))
            buffer.lastItem = std::max(buffer.lastItem, endOfRun);
    }
}

// Sums in floating point do not overflow; the planner's sums would.
Result<Done> checkIsAddressable(const Schedule &schedule)
{
    constexpr double kMostBytes = 4.6e18; // 2^62
    double bytes = 0;
    for (const ScheduledBuffer &buffer : schedule.buffers)
        bytes += static_cast<double>(buffer.shape.elements()) * static_cast<double>(bytesOf(buffer.dtype)) +
                 static_cast<double>(schedule.device(buffer.device).alignment);
    if (bytes <= kMostBytes)
        return Done{};
    const auto largest = std::ranges::max_element(schedule.buffers, {}, [](const ScheduledBuffer &buffer) {
        return static_cast<double>(buffer.shape.elements()) * static_cast<double>(bytesOf(buffer.dtype));
    });
    return Diagnostic::error(Code::Limit, schedule.graph->sources().programRange(largest->origin),
                             "the program's tensors take {:.2g} bytes, more than any memory has; the largest is {}: {}", bytes,
                             largest->name, typeText(largest->dtype, largest->shape));
}

// A whole lives as long as any of its parts.
void coverParts(Schedule &schedule)
{
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &part = schedule.buffers[i];
        ScheduledBuffer &root = schedule.buffers[schedule.rootOf(BufferId(i)).value];
        root.firstItem = std::min(root.firstItem, part.firstItem);
        root.lastItem = std::max(root.lastItem, part.lastItem);
    }
}

void placeInWhole(const Schedule &schedule, ScheduledBuffer &part)
{
    part.arenaOffset = 0;
    const ScheduledBuffer *at = &part;
    for (; at->partOf; at = &schedule.buffer(at->partOf->whole))
        part.arenaOffset += at->partOf->offset;
    part.arenaOffset += at->arenaOffset;
}

void placeInArena(Schedule &schedule, DeviceSlot slot)
{
    std::vector<ArenaRequest> requests;
    std::vector<std::size_t> buffers;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        if (buffer.device != slot || buffer.partOf)
            continue;
        requests.push_back({buffer.bytes(), buffer.firstItem, buffer.lastItem, isHeld(schedule, buffer)});
        buffers.push_back(i);
    }
    ScheduledDevice &device = schedule.devices[slot.value];
    const ArenaPlan plan = planArena(requests, device.alignment);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        schedule.buffers[buffers[i]].arenaOffset = plan.offsets[i];
    for (ScheduledBuffer &buffer : schedule.buffers)
        if (buffer.device == slot && buffer.partOf)
            placeInWhole(schedule, buffer);
    device.arenaBytes = plan.bytes;
    device.peakBytes = peakBytesOf(schedule.buffers, slot, schedule.items.size());
}

// Numbers the sets of buffers that share memory, directly or indirectly, in the order of their first buffers.
void nameAliasGroups(Schedule &schedule)
{
    std::vector<std::size_t> leader(schedule.buffers.size());
    for (std::size_t i = 0; i < leader.size(); ++i)
        leader[i] = i;
    const auto leaderOf = [&](std::size_t i) {
        while (leader[i] != i)
            i = leader[i] = leader[leader[i]];
        return i;
    };
    for (const SharedPlace &place : sharedPlaces(schedule)) {
        const std::size_t a = leaderOf(place.first.value);
        const std::size_t b = leaderOf(place.second.value);
        leader[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::size_t> sizes(leader.size(), 0);
    for (std::size_t i = 0; i < leader.size(); ++i)
        ++sizes[leaderOf(i)];
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < leader.size(); ++i) {
        const std::size_t first = leaderOf(i);
        schedule.buffers[i].aliasGroup.reset();
        if (sizes[first] > 1)
            schedule.buffers[i].aliasGroup = first == i ? next++ : *schedule.buffers[first].aliasGroup;
    }
}

} // namespace

std::vector<ScheduleItem> launchesOf(const Schedule &schedule)
{
    std::vector<ScheduleItem> items;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        items.push_back({KernelLaunch{KernelId(i)}, Phase::Run});
    return items;
}

Result<Done> planSteps(Schedule &schedule, std::vector<ScheduleItem> steps, const RooflineFigures &figures,
                       std::vector<RepeatedItems> repeats)
{
    SW_CHECK(checkIsAddressable(schedule));
    schedule.items.clear();
    addLoads(schedule, steps);
    schedule.repeats = placedRepeats(steps, std::move(repeats), schedule.items.size());
    addRun(schedule, std::move(steps));
    addFetches(schedule);
    const std::vector<DeviceFigures> everywhere(schedule.devices.size(), DeviceFigures{figures});
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i)
        schedule.items[i].nanoseconds = estimatedNanoseconds(schedule, i, everywhere);
    findLifetimes(schedule);
    coverRepeats(schedule);
    coverParts(schedule);
    for (std::size_t slot = 0; slot < schedule.devices.size(); ++slot)
        placeInArena(schedule, DeviceSlot(slot));
    nameAliasGroups(schedule);
    schedule.dependencies = findDependencies(schedule);
    CriticalPath path = findCriticalPath(schedule);
    schedule.criticalPath = std::move(path.items);
    schedule.criticalNanoseconds = path.nanoseconds;
    return Done{};
}

} // namespace sw
