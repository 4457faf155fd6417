#include "engine/passes/schedule/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace sw {

namespace {

std::int64_t aligned(std::int64_t bytes)
{
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool liveAtOnce(const ArenaRequest &a, const ArenaRequest &b)
{
    return a.firstItem <= b.lastItem && b.firstItem <= a.lastItem;
}

// taken: the placed neighbours as (offset, end), sorted.
std::int64_t smallestFit(std::int64_t bytes, const std::vector<std::pair<std::int64_t, std::int64_t>> &taken)
{
    std::int64_t best = -1;
    std::int64_t bestGap = 0;
    std::int64_t end = 0;
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

} // namespace

ArenaPlan planArena(std::span<const ArenaRequest> requests)
{
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return requests[a].bytes > requests[b].bytes; });

    ArenaPlan plan;
    plan.offsets.assign(requests.size(), 0);
    std::vector<std::size_t> placed;
    for (const std::size_t request : order) {
        std::vector<std::pair<std::int64_t, std::int64_t>> taken;
        for (const std::size_t other : placed)
            if (liveAtOnce(requests[request], requests[other]))
                taken.emplace_back(plan.offsets[other], plan.offsets[other] + aligned(requests[other].bytes));
        std::sort(taken.begin(), taken.end());
        plan.offsets[request] = smallestFit(aligned(requests[request].bytes), taken);
        plan.bytes = std::max(plan.bytes, plan.offsets[request] + aligned(requests[request].bytes));
        placed.push_back(request);
    }
    return plan;
}

std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, std::size_t items)
{
    std::vector<std::int64_t> change(items + 1, 0);
    for (const ScheduledBuffer &buffer : buffers) {
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
