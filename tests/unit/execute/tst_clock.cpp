#include "engine/execute/clock.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(Clock, isReadFromWhatTheSystemSays)
{
    EXPECT_DOUBLE_EQ(statedGigahertz("processor\t: 0\ncpu MHz\t\t: 2593.748\nprocessor\t: 1\ncpu MHz\t\t: 1000.000\n"), 2.593748);
    EXPECT_EQ(statedGigahertz("processor\t: 0\nBogoMIPS\t: 50.00\n"), 0);
    EXPECT_EQ(statedGigahertz("cpu MHz\t\t: fast\n"), 0);
    EXPECT_EQ(statedGigahertz("cpu MHz"), 0);
}

TEST(Clock, isMeasuredWithItsSpread)
{
    const ClockReading clock = readClock();
    EXPECT_GT(clock.low, 0);
    EXPECT_LE(clock.low, clock.gigahertz);
    EXPECT_LE(clock.gigahertz, clock.high);
}

TEST(Clock, isToldBesideWhatTheSystemSays)
{
    EXPECT_EQ(toText(ClockReading{3.1, 3.08, 3.11, 2.6}),
              "3.10 GHz (3.08 ... 3.11), measured by dependent additions; the system says 2.60 GHz");
    EXPECT_EQ(toText(ClockReading{3.1, 3.08, 3.11, 0}),
              "3.10 GHz (3.08 ... 3.11), measured by dependent additions; the system does not say what it is");
}

} // namespace
} // namespace sw
