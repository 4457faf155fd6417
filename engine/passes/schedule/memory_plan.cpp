#include "engine/passes/schedule/memory_plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace sw {

namespace {

// Up to this many requests, all orders are tried; above, only the one that takes n log n.
constexpr std::size_t kMostForAllOrders = 1024;

bool liveAtOnce(const ArenaRequest &a, const ArenaRequest &b)
{
    return a.firstItem <= b.lastItem && b.firstItem <= a.lastItem;
}

// Where a request lies.
struct Placed {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t request = 0;
};

// The beginning of the smallest gap that is large enough between the places that `isInTheWay` says are taken, or behind the last
// of them. places: sorted by their beginnings.
template <class InTheWay>
std::int64_t smallestFit(std::int64_t bytes, std::int64_t bottom, const std::vector<Placed> &places, const InTheWay &isInTheWay)
{
    std::int64_t best = -1;
    std::int64_t bestGap = 0;
    std::int64_t end = bottom;
    for (const Placed &place : places) {
        if (!isInTheWay(place.request))
            continue;
        const std::int64_t gap = place.begin - end;
        if (gap >= bytes && (best < 0 || gap < bestGap)) {
            best = end;
            bestGap = gap;
        }
        end = std::max(end, place.end);
    }
    return best < 0 ? end : best;
}

std::int64_t alignedSize(const ArenaRequest &request, std::int64_t alignment)
{
    const std::int64_t bytes = std::max<std::int64_t>(request.bytes, 1);
    return (bytes + alignment - 1) / alignment * alignment;
}

// The memory above `bottom` at one item of the schedule: taken places, the gaps between them, and all above the last place.
class Room {
public:
    explicit Room(std::int64_t bottom) : m_top(bottom) {}

    // Takes the smallest gap that is large enough, the lowest of equal ones; else the place above all others.
    std::int64_t take(std::int64_t bytes)
    {
        const auto fit = m_bySize.lower_bound({bytes, std::numeric_limits<std::int64_t>::min()});
        if (fit == m_bySize.end()) {
            m_top += bytes;
            return m_top - bytes;
        }
        const auto [size, begin] = *fit;
        removeGap(begin, begin + size);
        if (size > bytes)
            addGap(begin + bytes, begin + size);
        return begin;
    }

    void give(std::int64_t begin, std::int64_t end)
    {
        if (const auto below = m_byEnd.find(begin); below != m_byEnd.end()) {
            begin = below->second;
            removeGap(below->second, below->first);
        }
        if (const auto above = m_byBegin.find(end); above != m_byBegin.end()) {
            end = above->second;
            removeGap(above->first, above->second);
        }
        if (end == m_top)
            m_top = begin;
        else
            addGap(begin, end);
    }

private:
    void addGap(std::int64_t begin, std::int64_t end)
    {
        m_bySize.insert({end - begin, begin});
        m_byBegin.emplace(begin, end);
        m_byEnd.emplace(end, begin);
    }

    void removeGap(std::int64_t begin, std::int64_t end)
    {
        m_bySize.erase({end - begin, begin});
        m_byBegin.erase(begin);
        m_byEnd.erase(end);
    }

    std::set<std::pair<std::int64_t, std::int64_t>> m_bySize;
    std::map<std::int64_t, std::int64_t> m_byBegin;
    std::map<std::int64_t, std::int64_t> m_byEnd;
    std::int64_t m_top;
};

class Planner {
public:
    Planner(std::span<const ArenaRequest> requests, std::int64_t alignment) : m_requests(requests), m_alignment(alignment)
    {
        m_plan.offsets.assign(requests.size(), 0);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (requests[i].isHeld)
                place(i, m_plan.bytes);
            else
                m_free.push_back(i);
        }
    }

    // Places the requests above the held ones, in the order in which they become live. Takes n log n.
    [[nodiscard]] ArenaPlan plannedByTime() const
    {
        Planner planner = *this;
        std::ranges::stable_sort(planner.m_free, {}, [&](std::size_t i) { return m_requests[i].firstItem; });
        std::set<std::pair<std::uint32_t, std::size_t>> live; // by the last item
        Room room(m_plan.bytes);
        for (const std::size_t request : planner.m_free) {
            while (!live.empty() && live.begin()->first < m_requests[request].firstItem) {
                const std::size_t dead = live.begin()->second;
                live.erase(live.begin());
                room.give(planner.m_plan.offsets[dead], planner.m_plan.offsets[dead] + sizeOf(dead));
            }
            planner.place(request, room.take(sizeOf(request)));
            live.insert({m_requests[request].lastItem, request});
        }
        return planner.m_plan;
    }

    // Places the requests above the held ones, in the order of `before`. Takes n^2.
    [[nodiscard]] ArenaPlan planned(const std::function<bool(const ArenaRequest &, const ArenaRequest &)> &before) const
    {
        Planner planner = *this;
        std::stable_sort(planner.m_free.begin(), planner.m_free.end(),
                         [&](std::size_t a, std::size_t b) { return before(m_requests[a], m_requests[b]); });
        std::vector<Placed> places;
        for (const std::size_t request : planner.m_free) {
            const auto isInTheWay = [&](std::size_t other) { return liveAtOnce(m_requests[request], m_requests[other]); };
            const std::int64_t begin = smallestFit(sizeOf(request), m_plan.bytes, places, isInTheWay);
            planner.place(request, begin);
            places.insert(std::ranges::upper_bound(places, begin, {}, &Placed::begin), {begin, begin + sizeOf(request), request});
        }
        return planner.m_plan;
    }

private:
    [[nodiscard]] std::int64_t sizeOf(std::size_t request) const { return alignedSize(m_requests[request], m_alignment); }

    void place(std::size_t request, std::int64_t offset)
    {
        m_plan.offsets[request] = offset;
        m_plan.bytes = std::max(m_plan.bytes, offset + sizeOf(request));
    }

    std::span<const ArenaRequest> m_requests;
    std::int64_t m_alignment;
    std::vector<std::size_t> m_free; // requests that are not held
    ArenaPlan m_plan;
};

double area(const ArenaRequest &request)
{
    return static_cast<double>(request.bytes) * (1.0 + request.lastItem - request.firstItem);
}

} // namespace

ArenaPlan planArena(std::span<const ArenaRequest> requests, std::int64_t alignment)
{
    using Request = const ArenaRequest &;
    const std::array<std::function<bool(Request, Request)>, 2> orders{
        [](Request a, Request b) { return a.bytes > b.bytes; },
        [](Request a, Request b) { return area(a) > area(b); },
    };
    const Planner planner(requests, alignment);
    ArenaPlan byTime = planner.plannedByTime();
    if (requests.size() > kMostForAllOrders)
        return byTime;
    ArenaPlan best = planner.planned(orders.front());
    for (ArenaPlan other : {planner.planned(orders.back()), std::move(byTime)})
        if (other.bytes < best.bytes)
            best = std::move(other);
    return best;
}

std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, DeviceSlot device, std::size_t items)
{
    std::vector<std::int64_t> change(items + 1, 0);
    for (const ScheduledBuffer &buffer : buffers) {
        if (buffer.device != device || buffer.partOf)
            continue;
        change[std::min<std::size_t>(buffer.firstItem, items)] += buffer.bytes();
        if (buffer.lastItem + 1 <= items)
            change[buffer.lastItem + 1] -= buffer.bytes();
    }
    std::int64_t live = 0;
    std::int64_t peak = 0;
    for (const std::int64_t bytes : change) {
        live += bytes;
        peak = std::max(peak, live);
    }
    return peak;
}

} // namespace sw
