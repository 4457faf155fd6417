#include "engine/api/quantity.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(Quantity, hasThreeDigits)
{
    EXPECT_EQ(nanosecondsText(850), "850 ns");
    EXPECT_EQ(nanosecondsText(12'340), "12.3 µs");
    EXPECT_EQ(nanosecondsText(1'200'000'000), "1.20 s");
    EXPECT_EQ(nanosecondsText(5'000'000'000'000), "5000 s");
    EXPECT_EQ(bytesText(0), "0 B");
    EXPECT_EQ(bytesText(1023), "1023 B");
    EXPECT_EQ(bytesText(1024), "1.00 KiB");
    EXPECT_EQ(bytesText(128 * 1024), "128 KiB");
    EXPECT_EQ(amountText(12, "flop"), "12 flop");
    EXPECT_EQ(amountText(134'217'728, "B"), "134 MB");
    EXPECT_EQ(amountText(-2'500, "B"), "-2.50 kB");
    EXPECT_EQ(rateText(590, "B/s"), "590 B/s");
    EXPECT_EQ(rateText(152e9, "FLOP/s"), "152 GFLOP/s");
}

// What rounds up to the next unit is written in it.
TEST(Quantity, roundsAcrossUnits)
{
    EXPECT_EQ(nanosecondsText(999'700), "1.00 ms");
    EXPECT_EQ(nanosecondsText(9'996), "10.0 µs");
    EXPECT_EQ(nanosecondsText(99'960), "100 µs");
    EXPECT_EQ(bytesText(1024 * 1024 - 1), "1.00 MiB");
    EXPECT_EQ(amountText(999'999, "B"), "1.00 MB");
}

} // namespace
} // namespace sw
