// Reductions down columns whose rows lie far apart.

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace sw {
namespace {

struct Columns {
    std::int64_t batch = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    Op op = Op::Add;
    bool withSquares = false; // the squared distances from the result, too
};

class ColumnsTest : public ::testing::Test, protected test::OneItem {
protected:
    ColumnsTest() { test::setCaches(m_device, 32 << 10); }

    SchedulePtr reduction(const Columns &size) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId x =
            builder.placeholder(origin, DType::F32, {size.batch, size.rows, size.columns}, {.name = "x", .initial = nullptr});
        NodeId result = builder.reduce(origin, size.op, x, {1}).value();
        if (size.withSquares) {
            const std::array distance{x, result};
            const NodeId away = builder.broadcasted(origin, Op::Sub, distance).value();
            const std::array both{away, away};
            result = builder.reduce(origin, Op::Add, builder.elementwise(origin, Op::Mul, both).value(), {1}).value();
        }
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    LoopNest nestOf(const SchedulePtr &schedule, const CompileOptions &options = {}) const
    {
        const auto program = test::loopsFor(schedule, m_device, options);
        EXPECT_TRUE(program) << toText(program.error());
        return *(*program)->nests.front();
    }

    void checkValues(const SchedulePtr &schedule, double tolerance) const
    {
        const auto lowered = test::lowerFor(schedule, m_device, {});
        ASSERT_TRUE(lowered) << toText(lowered.error());
        const NodeId x = schedule->graph->placeholders().front();
        const std::vector inputs{randomTensor(DType::F32, schedule->graph->node(x).shape, 3)};
        const auto expected = interpretGraph(*schedule->graph, inputs);
        const auto actual = test::runLowered(**lowered, inputs);
        ASSERT_TRUE(expected && actual);
        for (std::int64_t i = 0; i < expected->front().elements(); ++i) {
            const double want = expected->front().at(i).asDouble();
            ASSERT_LE(std::abs(want - actual->front().at(i).asDouble()), tolerance * std::max(1.0, std::abs(want))) << i;
        }
    }

    DeviceInfo m_device = test::vectorDevice(2, 64);
};

TEST_F(ColumnsTest, aFewRowsOfManyColumnsAtATime)
{
    const SchedulePtr schedule = reduction({.rows = 64, .columns = 8192});
    const LoopNest nest = nestOf(schedule);
    const std::string text = toText(nest, *schedule);
    const std::optional<AxisId> block = blockLoopOf(nest);
    ASSERT_TRUE(block) << text;
    EXPECT_EQ(nest.axes[block->value].factor, 8);
    EXPECT_NE(text.find("8 steps of 2048 columns at a time: 8 runs that are fetched ahead, and 8192 bytes of partial results"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" thread\n"), std::string::npos) << text;
}

// A quarter of the first level, in a power of two.
TEST_F(ColumnsTest, partialResultsStayInTheFirstLevel)
{
    const SchedulePtr schedule = reduction({.rows = 64, .columns = 8192});
    for (const auto &[firstLevel, expected] :
         {std::pair{32 << 10, "8 steps of 2048 columns"}, std::pair{48 << 10, "8 steps of 2048 columns"},
          std::pair{64 << 10, "8 steps of 4096 columns"}, std::pair{16 << 10, "8 steps of 1024 columns"}}) {
        m_device.firstLevelBytes = firstLevel;
        const std::string text = toText(nestOf(schedule), *schedule);
        EXPECT_NE(text.find(expected), std::string::npos) << firstLevel << "\n" << text;
    }
}

TEST_F(ColumnsTest, meanTheSame)
{
    for (const Op op : {Op::Add, Op::Max, Op::Mul}) {
        for (const bool withSquares : {false, true}) {
            // Rests of rows, of shares, of tiles and of vectors; a batch that the threads share out; one share.
            for (const Columns &size : {Columns{1, 67, 4607}, Columns{3, 41, 2333}, Columns{1, 129, 300}, Columns{2, 16, 513}}) {
                Columns one = size;
                one.op = op;
                one.withSquares = withSquares && op != Op::Mul;
                SCOPED_TRACE(format("{} {} x {} x {}", nameOf(op), size.batch, size.rows, size.columns));
                checkValues(reduction(one), 1e-4);
            }
        }
    }
}

// Of a batch, the threads share the columns: it has fewer rounds than there are threads.
TEST_F(ColumnsTest, theThreadsShareTheLongestLoop)
{
    m_device.threads = 16;
    for (const bool withSquares : {false, true}) {
        const SchedulePtr schedule = reduction({.batch = 2, .rows = 256, .columns = 16384, .withSquares = withSquares});
        const std::string text = toText(nestOf(schedule), *schedule);
        EXPECT_EQ(text.find("thread i0 in"), std::string::npos) << text;
        EXPECT_NE(text.find("over 16 threads, "), std::string::npos) << text;
        EXPECT_NE(text.find(withSquares ? "64 work items" : "16 work items"), std::string::npos) << text;
    }
}

TEST_F(ColumnsTest, severalReductionsReadLongRuns)
{
    const SchedulePtr schedule = reduction({.batch = 4, .rows = 32, .columns = 1024, .withSquares = true});
    const LoopNest nest = nestOf(schedule);
    EXPECT_FALSE(blockLoopOf(nest));
    const std::string text = toText(nest, *schedule);
    EXPECT_NE(text.find("steps of 256 columns"), std::string::npos) << text;
}

// y[g, o, c]: the sum over r of w[g, o, r] x[g, r, c], with g and o as one axis, whose index divided by the rows of a group tells
// which columns are read. The rows of a group read the same.
TEST_F(ColumnsTest, rowsOfGroupsReadColumnsAgain)
{
    const Origin origin(m_item);
    GraphBuilder builder(m_sources);
    constexpr std::int64_t kGroups = 4;
    constexpr std::int64_t kRows = 34;
    constexpr std::int64_t kColumns = 784;
    const NodeId x = builder.placeholder(origin, DType::F32, {kGroups, 1, kRows, kColumns}, {.name = "x", .initial = nullptr});
    const NodeId w = builder.placeholder(origin, DType::F32, {kGroups, kRows, kRows, 1}, {.name = "w", .initial = nullptr});
    const std::array factors{x, w};
    const NodeId products = builder.broadcasted(origin, Op::Mul, factors).value();
    const NodeId sums = builder.reduce(origin, Op::Add, products, {2}).value();
    const NodeId flat = builder.reshape(origin, sums, {kGroups * kRows, kColumns}).value();
    const NodeId result = builder.elementwise(origin, Op::Neg, std::array{flat}).value();
    Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
    const SchedulePtr schedule = test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    const LoopNest nest = nestOf(schedule);
    const std::string text = toText(nest, *schedule);
    EXPECT_FALSE(blockLoopOf(nest)) << text;
    EXPECT_NE(text.find("register tile of 16 lanes"), std::string::npos) << text;
}

TEST_F(ColumnsTest, leavesTheOthersAlone)
{
    EXPECT_TRUE(blockLoopOf(nestOf(reduction({.rows = 64, .columns = 1024}))));
    EXPECT_FALSE(blockLoopOf(nestOf(reduction({.rows = 12, .columns = 1024})))); // few rows
    EXPECT_FALSE(blockLoopOf(nestOf(reduction({.rows = 4096, .columns = 64})))); // rows that lie near each other
    EXPECT_FALSE(blockLoopOf(nestOf(reduction({.rows = 64, .columns = 1024}), {.strict = true})));
    EXPECT_TRUE(blockLoopOf(nestOf(reduction({.rows = 64, .columns = 1024, .op = Op::Max}), {.strict = true})));
    test::setCaches(m_device, 1 << 20);
    EXPECT_FALSE(blockLoopOf(nestOf(reduction({.rows = 64, .columns = 1024})))); // the cache holds all of it
}

} // namespace
} // namespace sw
