#include "engine/schedule/dependencies.h"

#include "engine/schedule/conditions.h"

#include <algorithm>
#include <functional>
#include <map>

namespace sw {

namespace {

void addUnique(std::vector<std::uint32_t> &items, std::uint32_t item)
{
    if (items.empty() || items.back() != item)
        items.push_back(item);
}

bool meet(const std::vector<DeviceSlot> &a, const std::vector<DeviceSlot> &b)
{
    return std::ranges::any_of(a, [&](DeviceSlot slot) { return std::ranges::find(b, slot) != b.end(); });
}

// Which buffer was the last to hold each byte of an arena.
class PlaceHolders {
public:
    // The holders of some of these bytes, by place.
    [[nodiscard]] std::vector<BufferId> of(std::int64_t begin, std::int64_t end) const
    {
        std::vector<BufferId> found;
        auto held = m_held.upper_bound(begin);
        if (held != m_held.begin() && std::prev(held)->second.end > begin)
            --held;
        for (; held != m_held.end() && held->first < end; ++held)
            if (std::ranges::find(found, held->second.buffer) == found.end())
                found.push_back(held->second.buffer);
        return found;
    }

    void give(std::int64_t begin, std::int64_t end, BufferId buffer)
    {
        splitAt(begin);
        splitAt(end);
        m_held.erase(m_held.lower_bound(begin), m_held.lower_bound(end));
        m_held.emplace(begin, Held{end, buffer});
    }

private:
    struct Held {
        std::int64_t end = 0;
        BufferId buffer;
    };

    void splitAt(std::int64_t place)
    {
        const auto next = m_held.lower_bound(place);
        if (next == m_held.begin())
            return;
        Held &before = std::prev(next)->second;
        if (before.end <= place)
            return;
        m_held.emplace(place, before);
        before.end = place;
    }

    std::map<std::int64_t, Held> m_held; // by first byte; they do not overlap
};

// Whether what other items have written in the same buffer stays.
bool isPart(const Schedule &schedule, const ScheduleItem &item)
{
    const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
    return (transfer != nullptr && transfer->region.has_value()) || isChoice(schedule, item);
}

class DependencyFinder {
public:
    explicit DependencyFinder(const Schedule &schedule)
        : m_schedule(schedule),
          m_order(schedule.items.size(), kSearchLimit),
          m_states(schedule.buffers.size()),
          m_before(schedule.buffers.size())
    {
        for (const SharedPlace &place : sharedPlaces(schedule))
            m_before[place.second.value].push_back(place.first);
        for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
            if (schedule.buffers[i].partOf)
                m_parts[schedule.rootOf(BufferId(i))].emplace_back(i);
    }

    std::vector<Dependency> find() &&
    {
        for (std::uint32_t item = 0; item < m_schedule.items.size(); ++item)
            addItem(item);
        return std::move(m_found);
    }

private:
    struct BufferState {
        std::vector<std::uint32_t> writers; // of its current contents
        std::vector<std::uint32_t> readers; // of its current contents
    };
    // By the item waited for, last first: earlier dependencies often follow from later ones.
    using Waits = std::map<std::uint32_t, std::vector<BufferId>, std::greater<>>;

    void addItem(std::uint32_t index)
    {
        const ScheduleItem &item = m_schedule.items[index];
        const ItemUses uses = usesOf(m_schedule, item);
        Waits data;
        Waits control;
        for (const BufferId read : uses.reads)
            for (const std::uint32_t writer : m_states[read.value].writers)
                data[writer].push_back(read);
        for (const BufferId write : uses.writes)
            addOverwritten(write, isPart(m_schedule, item), control);
        addSynchronization(index, control);
        add(index, data, control);
        record(index, uses);
    }

    // Adds the items that use what this item overwrites, in this buffer and in buffers that had its place before.
    void addOverwritten(BufferId write, bool isPartOnly, Waits &control) const
    {
        const BufferState &state = m_states[write.value];
        for (const std::uint32_t reader : state.readers)
            control[reader].push_back(write);
        if (!isPartOnly)
            for (const std::uint32_t writer : state.writers)
                control[writer].push_back(write);
        // What lies in a whole takes the place of all that lay where the whole does.
        for (const BufferId before : m_before[m_schedule.rootOf(write).value]) {
            addLastUsers(before, control);
            if (const auto parts = m_parts.find(before); parts != m_parts.end())
                for (const BufferId part : parts->second)
                    if (overlap(part, write))
                        addLastUsers(part, control);
        }
    }

    [[nodiscard]] bool overlap(BufferId a, BufferId b) const
    {
        const ScheduledBuffer &first = m_schedule.buffer(a);
        const ScheduledBuffer &second = m_schedule.buffer(b);
        return first.arenaOffset < second.arenaOffset + second.bytes() && second.arenaOffset < first.arenaOffset + first.bytes();
    }

    // All other users of the buffer come before these: writers wait for earlier readers, and readers wait for earlier writers.
    void addLastUsers(BufferId buffer, Waits &control) const
    {
        const BufferState &state = m_states[buffer.value];
        for (const std::uint32_t reader : state.readers)
            control[reader].push_back(buffer);
        for (const std::uint32_t writer : state.writers)
            if (state.readers.empty() || writer > state.readers.back())
                control[writer].push_back(buffer);
    }

    void addSynchronization(std::uint32_t index, Waits &control)
    {
        const ScheduleItem &item = m_schedule.items[index];
        const std::vector<DeviceSlot> devices = devicesOf(m_schedule, item);
        for (const std::uint32_t earlier : m_synchronizations)
            if (meet(devices, devicesOf(m_schedule, m_schedule.items[earlier])))
                control.try_emplace(earlier);
        const auto *wait = std::get_if<Synchronization>(&item.work);
        if (wait == nullptr)
            return;
        for (std::uint32_t earlier = 0; earlier < index; ++earlier) {
            const ScheduleItem &other = m_schedule.items[earlier];
            if (isWaitedFor(*wait, earlier) && meet(devices, devicesOf(m_schedule, other)))
                control.try_emplace(earlier);
        }
        m_synchronizations.push_back(index);
    }

    [[nodiscard]] bool isWaitedFor(const Synchronization &wait, std::uint32_t item) const
    {
        switch (wait.kind) {
        case SynchronizationKind::Barrier:
            return true;
        case SynchronizationKind::Fence:
            return std::holds_alternative<MemoryTransfer>(m_schedule.items[item].work);
        case SynchronizationKind::Event:
            return wait.event == item;
        }
        SW_UNREACHABLE();
    }

    void add(std::uint32_t to, const Waits &data, const Waits &control)
    {
        std::vector<Dependency> found;
        for (const auto &[from, buffers] : data) {
            m_order.add(from, to);
            found.push_back({from, to, buffers, DependencyKind::Data});
        }
        for (const auto &[from, buffers] : control) {
            if (from == to || m_order.isBefore(from, to))
                continue;
            m_order.add(from, to);
            found.push_back({from, to, buffers, DependencyKind::Control});
        }
        std::ranges::sort(found, {}, &Dependency::from);
        m_found.insert(m_found.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    }

    void record(std::uint32_t index, const ItemUses &uses)
    {
        for (const BufferId read : uses.reads)
            addUnique(m_states[read.value].readers, index);
        for (const BufferId write : uses.writes) {
            BufferState &state = m_states[write.value];
            if (!isPart(m_schedule, m_schedule.items[index])) {
                state.writers.clear();
                state.readers.clear();
            }
            addUnique(state.writers, index);
        }
    }

    // A dependency implied only by way of more items than this is listed all the same: that costs less than finding out.
    static constexpr std::size_t kSearchLimit = 4096;

    const Schedule &m_schedule;
    ItemOrder m_order;
    std::vector<BufferState> m_states;                 // by BufferId
    std::vector<std::vector<BufferId>> m_before;       // by BufferId: the last to hold its place
    std::map<BufferId, std::vector<BufferId>> m_parts; // of the outermost wholes, also parts of parts
    std::vector<std::uint32_t> m_synchronizations;
    std::vector<Dependency> m_found;
};

} // namespace

void ItemOrder::add(std::uint32_t from, std::uint32_t to)
{
    m_before[to].push_back(from);
    if (m_to == to)
        reach(from);
}

void ItemOrder::reach(std::uint32_t item)
{
    if (m_reachedIn[item] == m_search)
        return;
    m_reachedIn[item] = m_search;
    m_open.push_back(item);
    std::ranges::push_heap(m_open);
}

bool ItemOrder::isBefore(std::uint32_t from, std::uint32_t to)
{
    if (m_to != to) {
        m_to = to;
        ++m_search;
        m_open.clear();
        m_followed = 0;
        for (const std::uint32_t before : m_before[to])
            reach(before);
    }
    while (m_reachedIn[from] != m_search && !m_open.empty() && m_open.front() > from && m_followed < m_searchLimit) {
        std::ranges::pop_heap(m_open);
        const std::uint32_t item = m_open.back();
        m_open.pop_back();
        ++m_followed;
        for (const std::uint32_t before : m_before[item])
            reach(before);
    }
    return m_reachedIn[from] == m_search;
}

std::vector<SharedPlace> sharedPlaces(const Schedule &schedule)
{
    std::vector<BufferId> births;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (schedule.buffers[i].bytes() > 0 && !schedule.buffers[i].partOf) // an empty one has no place
            births.emplace_back(i);
    const auto firstItemOf = [&](BufferId id) { return schedule.buffer(id).firstItem; };
    std::ranges::stable_sort(births, {}, firstItemOf);
    std::vector<BufferId> deaths = births;
    std::ranges::stable_sort(deaths, {}, [&](BufferId id) { return schedule.buffer(id).lastItem; });

    std::map<DeviceSlot, PlaceHolders> holders;
    std::vector<SharedPlace> found;
    auto death = deaths.begin();
    for (const BufferId id : births) {
        const ScheduledBuffer &buffer = schedule.buffer(id);
        for (; death != deaths.end() && schedule.buffer(*death).lastItem < buffer.firstItem; ++death) {
            const ScheduledBuffer &dead = schedule.buffer(*death);
            holders[dead.device].give(dead.arenaOffset, dead.arenaOffset + dead.bytes(), *death);
        }
        std::vector<BufferId> before = holders[buffer.device].of(buffer.arenaOffset, buffer.arenaOffset + buffer.bytes());
        std::ranges::stable_sort(before, std::ranges::greater(), firstItemOf);
        for (const BufferId other : before)
            found.push_back({other, id});
    }
    return found;
}

std::vector<Dependency> findDependencies(const Schedule &schedule)
{
    return DependencyFinder(schedule).find();
}

CriticalPath findCriticalPath(const Schedule &schedule)
{
    std::vector<std::int64_t> nanoseconds;
    for (const ScheduleItem &item : schedule.items)
        nanoseconds.push_back(item.nanoseconds);
    return findCriticalPath(schedule, nanoseconds);
}

CriticalPath findCriticalPath(const Schedule &schedule, std::span<const std::int64_t> nanoseconds)
{
    SW_ASSERT(nanoseconds.size() == schedule.items.size(), "a time for every item");
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::int64_t> finish(schedule.items.size(), 0);
    std::vector<std::uint32_t> previous(schedule.items.size(), kNone);
    std::uint32_t last = kNone;
    std::size_t next = 0; // dependencies are in the order of the items
    for (std::uint32_t item = 0; item < schedule.items.size(); ++item) {
        for (; next < schedule.dependencies.size() && schedule.dependencies[next].to == item; ++next) {
            const std::uint32_t from = schedule.dependencies[next].from;
            const bool isLater = previous[item] == kNone || finish[from] > finish[previous[item]];
            if (schedule.items[from].phase == Phase::Run && isLater)
                previous[item] = from;
        }
        if (schedule.items[item].phase != Phase::Run)
            continue;
        finish[item] = (previous[item] == kNone ? 0 : finish[previous[item]]) + nanoseconds[item];
        if (last == kNone || finish[item] > finish[last])
            last = item;
    }
    CriticalPath path;
    path.nanoseconds = last == kNone ? 0 : finish[last];
    for (std::uint32_t item = last; item != kNone; item = previous[item])
        path.items.push_back(item);
    std::ranges::reverse(path.items);
    return path;
}

} // namespace sw
