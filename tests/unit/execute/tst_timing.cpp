#include "engine/execute/timing.h"

#include <gtest/gtest.h>

#include <vector>

namespace sw {
namespace {

TEST(Timing, medianIsATimeThatWasMeasured)
{
    using std::chrono::nanoseconds;
    const std::vector<nanoseconds> samples{nanoseconds(40), nanoseconds(10), nanoseconds(20), nanoseconds(30)};
    const Timing timing = timingOf(samples);
    EXPECT_EQ(timing.median.count(), 20);
    EXPECT_EQ(timing.min.count(), 10);
    EXPECT_EQ(timing.max.count(), 40);
    EXPECT_EQ(timing.low, timing.min); // too few for a band
    EXPECT_EQ(timing.high, timing.max);
    EXPECT_EQ(timing.runs, 4U);
}

TEST(Timing, theBandLeavesOutTheTails)
{
    using std::chrono::nanoseconds;
    std::vector<nanoseconds> samples;
    for (int i = 1; i <= 10; ++i)
        samples.emplace_back(100 * i);
    const Timing timing = timingOf(samples);
    EXPECT_EQ(timing.low.count(), 200);
    EXPECT_EQ(timing.high.count(), 900);
}

} // namespace
} // namespace sw
