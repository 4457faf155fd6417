#include "engine/schedule/execution_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace sw {

namespace {

// Lower ones first.
enum class Turn : std::uint8_t { Launch, Feed, Other, Wait };

class Orderer {
public:
    explicit Orderer(const Schedule &schedule)
        : m_schedule(schedule), m_waitsFor(schedule.items.size(), 0), m_dependents(schedule.items.size())
    {
        for (const Dependency &dependency : schedule.dependencies)
            add(dependency.from, dependency.to);
    }

    std::optional<std::vector<std::uint32_t>> order() &&
    {
        for (std::uint32_t item = 0; item < m_waitsFor.size(); ++item)
            if (m_waitsFor[item] == 0)
                setReady(item);
        while (const std::optional<std::uint32_t> item = next()) {
            m_order.push_back(*item);
            for (const std::uint32_t dependent : m_dependents[*item])
                if (--m_waitsFor[dependent] == 0)
                    setReady(dependent);
        }
        return m_order.size() == m_waitsFor.size() ? std::optional(std::move(m_order)) : std::nullopt;
    }

private:
    using Ready = std::pair<Turn, std::uint32_t>;
    template <class T>
    using LowestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

    // A repeat begins when all is there that its items need from others.
    void add(std::uint32_t from, std::uint32_t to)
    {
        addEdge(from, to);
        const RepeatedItems *const repeat = m_schedule.repeatOf(to);
        if (repeat != nullptr && repeat->first != to && m_schedule.repeatOf(from) != repeat)
            addEdge(from, repeat->first);
    }

    void addEdge(std::uint32_t from, std::uint32_t to)
    {
        ++m_waitsFor.at(to);
        m_dependents.at(from).push_back(to);
    }

    void setReady(std::uint32_t item)
    {
        const RepeatedItems *const repeat = m_schedule.repeatOf(item);
        if (repeat != nullptr && item != repeat->first)
            m_inRepeat.push(item);
        else
            m_ready.push({repeat != nullptr ? Turn::Other : turnOf(m_schedule.items[item]), item});
    }

    std::optional<std::uint32_t> next()
    {
        if (m_leftOfRepeat > 0) {
            if (m_inRepeat.empty())
                return std::nullopt;
            --m_leftOfRepeat;
            const std::uint32_t item = m_inRepeat.top();
            m_inRepeat.pop();
            return item;
        }
        if (m_ready.empty())
            return std::nullopt;
        const std::uint32_t item = m_ready.top().second;
        m_ready.pop();
        if (const RepeatedItems *const repeat = m_schedule.repeatOf(item))
            m_leftOfRepeat = repeat->end - repeat->first - 1;
        return item;
    }

    [[nodiscard]] bool isBeside(DeviceSlot device) const { return m_schedule.device(device).isBeside; }
    [[nodiscard]] bool isBeside(BufferId buffer) const { return buffer.isValid() && isBeside(m_schedule.buffer(buffer).device); }

    [[nodiscard]] Turn turnOf(const ScheduleItem &item) const
    {
        if (std::ranges::any_of(item.conditions, [&](const ItemCondition &condition) { return isBeside(condition.buffer); }))
            return Turn::Wait; // the host reads them
        if (item.kernel().isValid())
            return isBeside(m_schedule.kernel(item.kernel()).device) ? Turn::Launch : Turn::Other;
        if (const auto *transfer = std::get_if<MemoryTransfer>(&item.work)) {
            if (isBeside(transfer->source))
                return isBeside(transfer->destination) && transfer->isAsynchronous ? Turn::Launch : Turn::Wait;
            return isBeside(transfer->destination) ? Turn::Feed : Turn::Other;
        }
        if (const auto *join = std::get_if<Join>(&item.work)) // nothing is done, but others may wait for it
            return isBeside(join->whole) ? Turn::Launch : Turn::Other;
        const std::vector<DeviceSlot> devices = devicesOf(m_schedule, item);
        return std::ranges::any_of(devices, [&](DeviceSlot device) { return isBeside(device); }) ? Turn::Wait : Turn::Other;
    }

    const Schedule &m_schedule;
    std::vector<std::size_t> m_waitsFor;                  // by item: how many
    std::vector<std::vector<std::uint32_t>> m_dependents; // by item
    LowestFirst<Ready> m_ready;
    LowestFirst<std::uint32_t> m_inRepeat; // of the repeat that has begun
    std::uint32_t m_leftOfRepeat = 0;      // items of it that did not have their turn
    std::vector<std::uint32_t> m_order;
};

} // namespace

std::optional<std::vector<std::uint32_t>> executionOrder(const Schedule &schedule)
{
    return Orderer(schedule).order();
}

} // namespace sw
