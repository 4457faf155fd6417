#include "engine/execute/timing.h"

#include "engine/base/assert.h"
#include "engine/execute/statistics.h"

#include <algorithm>
#include <vector>

namespace sw {

Timing timingOf(std::span<const std::chrono::nanoseconds> samples)
{
    SW_ASSERT(!samples.empty(), "at least one sample");
    std::vector<std::chrono::nanoseconds> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    const BandRanks ranks = medianRanks(sorted.size(), kTimeConfidence);
    return {.median = sorted[(sorted.size() - 1) / 2],
            .min = sorted.front(),
            .max = sorted.back(),
            .low = sorted[ranks.low],
            .high = sorted[ranks.high],
            .runs = sorted.size()};
}

} // namespace sw
