#include "engine/execute/machine_conditions.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(MachineConditions, readsStolenTicks)
{
    const auto ticks = processorTicksIn("cpu  100 20 30 400 5 6 7 80 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    ASSERT_TRUE(ticks);
    EXPECT_EQ(ticks->stolen, 80U);
    EXPECT_EQ(ticks->all, 648U); // without the guests, which are counted in the first two
    EXPECT_FALSE(processorTicksIn(""));
    EXPECT_FALSE(processorTicksIn("cpu  100 20 30 400 5 6 7\n"));
    EXPECT_FALSE(processorTicksIn("cpu0 100 20 30 400 5 6 7 8\n"));
}

TEST(MachineConditions, saysWhatDisturbs)
{
    const MachineConditions before{.ticks = ProcessorTicks{.all = 1000, .stolen = 10}, .gigahertz = 3};
    EXPECT_TRUE(conditionNotes(before, before).empty());
    EXPECT_TRUE(conditionNotes(before, {.ticks = ProcessorTicks{.all = 2000, .stolen = 15}, .gigahertz = 3.1}).empty());
    const auto notes = conditionNotes(before, {.ticks = ProcessorTicks{.all = 2000, .stolen = 60}, .gigahertz = 2.4});
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0], "5 % of the processors' time went to other guests of this machine's host");
    EXPECT_EQ(notes[1], "the processor's clock changed from 3.00 to 2.40 GHz");
    EXPECT_TRUE(conditionNotes({}, {}).empty()); // a machine that says nothing
}

TEST(MachineConditions, measuresAClock)
{
    const double gigahertz = measuredGigahertz();
    EXPECT_GT(gigahertz, 0.02);
    EXPECT_LT(gigahertz, 20);
}

} // namespace
} // namespace sw
