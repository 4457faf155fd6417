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
}

} // namespace
} // namespace sw
