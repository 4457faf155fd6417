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

void addLoads(Schedule &schedule)
{
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        const NodeKind kind = schedule.graph->node(buffer.node).kind;
        if (kind == NodeKind::Placeholder || kind == NodeKind::Vconst)
            schedule.items.push_back({MemoryTransfer{.destination = BufferId(i), .bytes = buffer.bytes()}, Phase::Load});
    }
}

// Adds what the run loads, then the run, then a barrier that waits for all the devices that take part in it.
void addRun(Schedule &schedule, std::vector<ScheduleItem> run)
{
    std::ranges::stable_partition(run, [](const ScheduleItem &item) { return item.phase == Phase::Load; });
    std::set<DeviceSlot> devices;
    for (ScheduleItem &item : run) {
        if (item.phase == Phase::Load) {
            schedule.items.push_back(std::move(item));
            continue;
        }
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

// The repeats where addRun puts their items: behind the given values, and behind all that the run loads.
std::vector<RepeatedItems> placedRepeats(const std::vector<ScheduleItem> &run, std::vector<RepeatedItems> repeats,
                                         std::size_t given)
{
    const auto isLoad = [](const ScheduleItem &item) { return item.phase == Phase::Load; };
    for (RepeatedItems &repeat : repeats) {
        const auto loadsLater = std::count_if(run.begin() + repeat.end, run.end(), isLoad);
        repeat.first += static_cast<std::uint32_t>(given) + static_cast<std::uint32_t>(loadsLater);
        repeat.end += static_cast<std::uint32_t>(given) + static_cast<std::uint32_t>(loadsLater);
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
            }
    }
    for (ScheduledBuffer &buffer : schedule.buffers) {
        const bool isZeros =
            schedule.graph->node(buffer.node).kind == NodeKind::Buffer && buffer.role != BufferRole::Intermediate;
        if (buffer.firstItem == kNever || isZeros)
            buffer.firstItem = 0;
        if (isHeld(schedule, buffer))
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

void placeInArena(Schedule &schedule, DeviceSlot slot)
{
    std::vector<ArenaRequest> requests;
    std::vector<std::size_t> buffers;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        if (buffer.device != slot)
            continue;
        requests.push_back({buffer.bytes(), buffer.firstItem, buffer.lastItem, isHeld(schedule, buffer)});
        buffers.push_back(i);
    }
    ScheduledDevice &device = schedule.devices[slot.value];
    const ArenaPlan plan = planArena(requests, device.alignment);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        schedule.buffers[buffers[i]].arenaOffset = plan.offsets[i];
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

Result<Done> planSteps(Schedule &schedule, std::vector<ScheduleItem> run, const RooflineFigures &figures,
                       std::vector<RepeatedItems> repeats)
{
    SW_CHECK(checkIsAddressable(schedule));
    schedule.items.clear();
    addLoads(schedule);
    schedule.repeats = placedRepeats(run, std::move(repeats), schedule.items.size());
    addRun(schedule, std::move(run));
    addFetches(schedule);
    const std::vector<DeviceFigures> everywhere(schedule.devices.size(), DeviceFigures{figures});
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i)
        schedule.items[i].nanoseconds = estimatedNanoseconds(schedule, i, everywhere);
    findLifetimes(schedule);
    coverRepeats(schedule);
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
