#include "engine/passes/schedule/memory_plan.h"

#include <algorithm>
#include <array>
#include <functional>

namespace sw {

namespace {

bool liveAtOnce(const ArenaRequest &a, const ArenaRequest &b)
{
    return a.firstItem <= b.lastItem && b.firstItem <= a.lastItem;
}

// taken: the placed neighbours as (offset, end), sorted.
std::int64_t smallestFit(std::int64_t bytes, std::int64_t bottom, const std::vector<std::pair<std::int64_t, std::int64_t>> &taken)
{
    std::int64_t best = -1;
    std::int64_t bestGap = 0;
    std::int64_t end = bottom;
    for (const auto &[from, to] : taken) {
        const std::int64_t gap = from - end;
        if (gap >= bytes && (best < 0 || gap < bestGap)) {
            best = end;
            bestGap = gap;
        }
        end = std::max(end, to);
    }
    return best < 0 ? end : best;
}

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

    // Above what is held, in the order of `before`.
    [[nodiscard]] ArenaPlan planned(const std::function<bool(const ArenaRequest &, const ArenaRequest &)> &before) const
    {
        Planner planner = *this;
        std::stable_sort(planner.m_free.begin(), planner.m_free.end(),
                         [&](std::size_t a, std::size_t b) { return before(m_requests[a], m_requests[b]); });
        std::vector<std::size_t> placed;
        for (const std::size_t request : planner.m_free) {
            std::vector<std::pair<std::int64_t, std::int64_t>> taken;
            for (const std::size_t other : placed)
                if (liveAtOnce(m_requests[request], m_requests[other]))
                    taken.emplace_back(planner.m_plan.offsets[other], planner.m_plan.offsets[other] + sizeOf(other));
            std::sort(taken.begin(), taken.end());
            planner.place(request, smallestFit(sizeOf(request), m_plan.bytes, taken));
            placed.push_back(request);
        }
        return planner.m_plan;
    }

private:
    [[nodiscard]] std::int64_t sizeOf(std::size_t request) const
    {
        const std::int64_t bytes = std::max<std::int64_t>(m_requests[request].bytes, 1);
        return (bytes + m_alignment - 1) / m_alignment * m_alignment;
    }

    void place(std::size_t request, std::int64_t offset)
    {
        m_plan.offsets[request] = offset;
        m_plan.bytes = std::max(m_plan.bytes, offset + sizeOf(request));
    }

    std::span<const ArenaRequest> m_requests;
    std::int64_t m_alignment;
    std::vector<std::size_t> m_free; // that are not held
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
    const std::array<std::function<bool(Request, Request)>, 3> orders{
        [](Request a, Request b) { return a.bytes > b.bytes; },
        [](Request a, Request b) { return area(a) > area(b); },
        [](Request a, Request b) { return a.firstItem < b.firstItem; },
    };
    const Planner planner(requests, alignment);
    ArenaPlan best = planner.planned(orders.front());
    for (std::size_t i = 1; i < orders.size(); ++i)
        if (ArenaPlan other = planner.planned(orders[i]); other.bytes < best.bytes)
            best = std::move(other);
    return best;
}

std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, DeviceSlot device, std::size_t items)
{
    std::vector<std::int64_t> change(items + 1, 0);
    for (const ScheduledBuffer &buffer : buffers) {
        if (buffer.device != device)
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
