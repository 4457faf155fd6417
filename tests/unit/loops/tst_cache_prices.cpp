// The prices of contractions follow from the caches of the device.

#include "engine/graph/builder.h"
#include "engine/passes/loops/build_loops.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/tuning_key.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

class CachePrices : public ::testing::Test, protected test::OneItem {
protected:
    // The sums down the columns of a matrix.
    [[nodiscard]] SchedulePtr columnSums(std::int64_t rows, std::int64_t columns) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId x = builder.placeholder(origin, DType::F32, {rows, columns}, {.name = "x", .initial = nullptr});
        const NodeId sums = builder.reduce(origin, Op::Add, x, {0}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {sums}, {"sums"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    // a.T @ b.T: the rows of the product lie side by side in memory.
    [[nodiscard]] SchedulePtr product(std::int64_t rows, std::int64_t steps, std::int64_t columns) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId a = builder.placeholder(origin, DType::F32, {steps, rows}, {.name = "a", .initial = nullptr});
        const NodeId b = builder.placeholder(origin, DType::F32, {columns, steps}, {.name = "b", .initial = nullptr});
        const NodeId turned = builder.permute(origin, a, {1, 0}).value();
        const std::array factors{builder.reshape(origin, turned, {rows, 1, steps}).value(),
                                 builder.reshape(origin, b, {1, columns, steps}).value()};
        const NodeId sums = builder.reduce(origin, Op::Add, builder.broadcasted(origin, Op::Mul, factors).value(), {2}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {sums}, {"sums"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    [[nodiscard]] LoopNest nestOf(const SchedulePtr &schedule) const
    {
        PassContext context(m_device, TargetLanguage::Lowered, m_options, {});
        const Result<LoopProgram> built = buildLoops(schedule, context);
        EXPECT_TRUE(built) << toText(built.error());
        return *built->nests.front();
    }

    // What `price` gives for the only load of column sums.
    template <class Price>
    [[nodiscard]] double priceOfLoad(const SchedulePtr &schedule, const Price &price) const
    {
        const PassContext context(m_device, TargetLanguage::Lowered, m_options, {});
        const NestPlan plan(*schedule, nestOf(schedule), context);
        const std::vector<NestAccess> loads = plan.loadsUnder(plan.nest().reductions.front().body);
        EXPECT_EQ(loads.size(), 1U);
        return price(plan, loads.front());
    }
    [[nodiscard]] double partAcross(const SchedulePtr &schedule) const
    {
        return priceOfLoad(schedule,
                           [](const NestPlan &plan, const NestAccess &load) { return partAcrossLines(plan, load, 16); });
    }
    [[nodiscard]] double farSteps(const SchedulePtr &schedule) const
    {
        return priceOfLoad(schedule, [](const NestPlan &plan, const NestAccess &load) { return farStepCycles(plan, load, 4); });
    }
    [[nodiscard]] double reread(const SchedulePtr &schedule, std::int64_t panels) const
    {
        const PassContext context(m_device, TargetLanguage::Lowered, m_options, {});
        const NestPlan plan(*schedule, nestOf(schedule), context);
        const TileChoice choice{.vectorAxis = plan.nest().domain[1], .rowAxis = plan.nest().domain[0], .lanes = 16, .rows = 4};
        return rereadCycles(plan, contractionFactsOf(plan), choice, panels);
    }

    DeviceInfo m_device = test::vectorDevice(1, 64);
    CompileOptions m_options;
};

TEST_F(CachePrices, linesOnOneSetLoseEachOtherWhereTheyAreMoreThanItsWays)
{
    EXPECT_FALSE(loseEachOther(m_device, 4096, 8));
    EXPECT_TRUE(loseEachOther(m_device, 4096, 9));
    EXPECT_FALSE(loseEachOther(m_device, 64, 512));
    EXPECT_TRUE(loseEachOther(m_device, 64, 513));
    m_device.firstLevelBytes = 48 << 10; // 64 sets, too
    m_device.firstLevelWays = 12;
    EXPECT_FALSE(loseEachOther(m_device, 4096, 12));
    EXPECT_TRUE(loseEachOther(m_device, 4096, 13));
    m_device.firstLevelBytes = 64 << 10; // 256 sets, of which such lines fall on 4
    m_device.firstLevelWays = 4;
    EXPECT_FALSE(loseEachOther(m_device, 4096, 16));
    EXPECT_TRUE(loseEachOther(m_device, 4096, 17));
}

// Ten steps of 4096 bytes: all of their lines fall on one set.
TEST_F(CachePrices, stepsOnOneSetWaitWhereItHasTooFewWays)
{
    const SchedulePtr schedule = columnSums(10, 1024);
    EXPECT_GT(farSteps(schedule), 0);
    m_device.firstLevelBytes = 48 << 10;
    m_device.firstLevelWays = 12;
    EXPECT_EQ(farSteps(schedule), 0);
}

// 600 steps have a line each, which is 38,400 bytes on all sets.
TEST_F(CachePrices, stepsWaitWhereTheFirstLevelHoldsTooFewLines)
{
    const SchedulePtr schedule = columnSums(600, 272);
    EXPECT_GT(farSteps(schedule), 0);
    m_device.firstLevelBytes = 48 << 10;
    EXPECT_EQ(farSteps(schedule), 0);
}

// 40,000 bytes, in rows that are no whole number of vectors.
TEST_F(CachePrices, vectorsLieAcrossLinesOfWhatTheFirstLevelDoesNotHold)
{
    const SchedulePtr schedule = columnSums(100, 100);
    EXPECT_EQ(partAcross(schedule), 1);
    m_device.firstLevelBytes = 48 << 10;
    EXPECT_EQ(partAcross(schedule), 0);
}

// 512 KiB, of which each step reads a line of its own.
TEST_F(CachePrices, panelsAreFarWhereNoCacheHoldsThem)
{
    const SchedulePtr schedule = product(64, 2048, 32);
    m_device.cacheBytesPerCore = 64 << 10;
    m_device.sharedCacheBytes = 1 << 20;
    EXPECT_EQ(reread(schedule, 2), 0);
    m_device.sharedCacheBytes = 256 << 10;
    EXPECT_EQ(reread(schedule, 2), 2 * (512 << 10) / 64 * kNextLineCycles);
    m_device.sharedCacheBytes = 0;
    EXPECT_GT(reread(schedule, 2), 0) << "there is no level behind the core's own";
    m_device.cacheBytesPerCore = 512 << 10;
    EXPECT_EQ(reread(schedule, 2), 0) << "the core's own cache holds them";
}

// A list that was measured with other caches is another one.
TEST_F(CachePrices, tuningsAreOfTheCachesTheyWereMeasuredWith)
{
    const SchedulePtr schedule = columnSums(10, 1024);
    const LoopNest nest = nestOf(schedule);
    const std::string key = tuningKeyOf(*schedule, nest, m_device);
    EXPECT_EQ(tuningKeyOf(*schedule, nest, m_device), key);
    const auto keyWith = [&](const auto &change) {
        DeviceInfo other = m_device;
        change(other);
        return tuningKeyOf(*schedule, nest, other);
    };
    EXPECT_NE(keyWith([](DeviceInfo &device) { device.firstLevelBytes *= 2; }), key);
    EXPECT_NE(keyWith([](DeviceInfo &device) { device.firstLevelWays *= 2; }), key);
    EXPECT_NE(keyWith([](DeviceInfo &device) { device.cacheBytesPerCore *= 2; }), key);
    EXPECT_NE(keyWith([](DeviceInfo &device) { device.sharedCacheBytes *= 2; }), key);
}

} // namespace
} // namespace sw
