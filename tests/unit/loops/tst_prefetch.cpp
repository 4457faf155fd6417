// One of several passes over a row fetches the next row.

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/prefetch_queries.h"
#include "engine/loops/printer.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw {
namespace {

enum class Passes : std::uint8_t { One, Two };

class PrefetchTest : public ::testing::Test, protected test::OneItem {
protected:
    PrefetchTest() { test::setCaches(m_device, 32 << 10); }

    // The sums of rows, or of the squared distances from them.
    SchedulePtr rows(std::int64_t count, std::int64_t columns, Passes passes) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId x = builder.placeholder(origin, DType::F32, {count, columns}, {.name = "x", .initial = nullptr});
        NodeId result = builder.reduce(origin, Op::Add, x, {1}).value();
        if (passes == Passes::Two) {
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

    std::vector<Instruction> prefetchesIn(const LoweredProgram &program) const
    {
        std::vector<Instruction> found;
        std::ranges::copy_if(program.kernels.bodyOf(0).instructions, std::back_inserter(found),
                             [](const Instruction &one) { return one.kind == InstructionKind::Prefetch; });
        return found;
    }

    DeviceInfo m_device = test::vectorDevice(2, 64);
};

TEST_F(PrefetchTest, theLastPassFetchesTheNextRow)
{
    const SchedulePtr schedule = rows(64, 1024, Passes::Two);
    const LoopNest nest = nestOf(schedule);
    const std::string text = toText(nest, *schedule);
    ASSERT_EQ(nest.prefetches.size(), 1U) << text;
    EXPECT_EQ(prefetchDistance(nest, nest.prefetches.front()), 1024);
    EXPECT_NE(text.find("the last of 2 passes over 4096 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find(format(" prefetch {} + 1", nest.axes[nest.prefetches.front().at.value].name)), std::string::npos) << text;

    const auto lowered = test::lowerFor(schedule, m_device, {});
    ASSERT_TRUE(lowered) << toText(lowered.error());
    const std::size_t loads = static_cast<std::size_t>(
        std::ranges::count((*lowered)->kernels.bodyOf(0).instructions, InstructionKind::Load, &Instruction::kind));
    EXPECT_EQ(2 * prefetchesIn(**lowered).size(), loads); // the loads of the second pass are half of all

    const std::vector inputs{randomTensor(DType::F32, Shape{64, 1024}, 3)};
    const auto expected = interpretGraph(*schedule->graph, inputs);
    const auto actual = test::runLowered(**lowered, inputs);
    ASSERT_TRUE(expected && actual);
    for (std::int64_t i = 0; i < 64; ++i) {
        const double want = expected->front().at(i).asDouble();
        ASSERT_LE(std::abs(want - actual->front().at(i).asDouble()), 1e-5 * std::max(1.0, std::abs(want))) << i;
    }
}

// The last pass of the logarithm only stores: the one before it computes long enough.
TEST_F(PrefetchTest, theLongestPassFetchesTheNextRow)
{
    const std::string text = test::loopsOn(m_device, "input x: f32[64, 1024]\noutput log_softmax(x, axis = -1)\n", {});
    EXPECT_NE(text.find("the longest of 3 passes over 4096 bytes"), std::string::npos) << text;
    EXPECT_LT(text.rfind(" prefetch i0"), text.find("= exp")) << text;
}

TEST_F(PrefetchTest, aLineIsFetchedOnce)
{
    m_device = test::vectorDevice(2, 32);
    test::setCaches(m_device, 32 << 10);
    const auto lowered = test::lowerFor(rows(64, 1024, Passes::Two), m_device, {});
    ASSERT_TRUE(lowered) << toText(lowered.error());
    const std::size_t loads = static_cast<std::size_t>(
        std::ranges::count((*lowered)->kernels.bodyOf(0).instructions, InstructionKind::Load, &Instruction::kind));
    EXPECT_EQ(4 * prefetchesIn(**lowered).size(), loads); // two vectors lie in a line
}

TEST_F(PrefetchTest, whatMemoryDoesNotWaitForIsNotFetched)
{
    EXPECT_TRUE(nestOf(rows(64, 1024, Passes::One)).prefetches.empty()) << "one pass after the other is foreseen";
    EXPECT_TRUE(nestOf(rows(4, 1024, Passes::Two)).prefetches.empty()) << "the cache holds all rows";
    EXPECT_TRUE(nestOf(rows(64, 8192, Passes::Two)).prefetches.empty()) << "the cache does not hold two rows";
    EXPECT_TRUE(nestOf(rows(4096, 64, Passes::Two)).prefetches.empty()) << "short rows are foreseen";
}

// Rows that are divided by their sums are read twice, along the vectors of the row: that is no tile of sums.
TEST_F(PrefetchTest, whatIsReadAlongARowIsNoTile)
{
    const auto quotients = [&](std::int64_t count, std::int64_t columns) {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId x = builder.placeholder(origin, DType::F32, {count, columns}, {.name = "x", .initial = nullptr});
        const NodeId y = builder.placeholder(origin, DType::F32, {count, columns}, {.name = "y", .initial = nullptr});
        const std::array factors{x, builder.reduce(origin, Op::Add, x, {1}).value()};
        const std::array both{builder.broadcasted(origin, Op::Fdiv, factors).value(), y};
        Result<Graph> finished =
            std::move(builder).finish(origin, {builder.elementwise(origin, Op::Add, both).value()}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    };
    EXPECT_EQ(nestOf(quotients(64, 1024)).prefetches.size(), 1U) << "the second pass over x";
    EXPECT_TRUE(nestOf(quotients(64, 8192)).prefetches.empty()) << "the cache does not hold two rows, and y is a stream";
}

// A product [64, columns] and what is added to it: as large as the result, or one row.
class BesideSums : public PrefetchTest {
protected:
    SchedulePtr product(std::int64_t columns, std::int64_t addedRows) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId a = builder.placeholder(origin, DType::F32, {64, 1, 16}, {.name = "a", .initial = nullptr});
        const NodeId b = builder.placeholder(origin, DType::F32, {16, columns}, {.name = "b", .initial = nullptr});
        const NodeId added = builder.placeholder(origin, DType::F32, {addedRows, columns}, {.name = "r", .initial = nullptr});
        const NodeId turned = builder.permute(origin, b, {1, 0}).value();
        const std::array factors{a, builder.reshape(origin, turned, {1, columns, 16}).value()};
        const NodeId sums = builder.reduce(origin, Op::Add, builder.broadcasted(origin, Op::Mul, factors).value(), {2}).value();
        const std::array both{builder.reshape(origin, sums, {64, columns}).value(), added};
        const NodeId result = builder.broadcasted(origin, Op::Add, both).value();
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }
};

TEST_F(BesideSums, whatIsAddedIsFetchedWhileTheTileBeforeIsSummed)
{
    const SchedulePtr schedule = product(1024, 64);
    const LoopNest nest = nestOf(schedule);
    const std::string text = toText(nest, *schedule);
    ASSERT_EQ(nest.prefetches.size(), 1U) << text;
    const BufferId fetched = nest.values[nest.prefetches.front().load.value].buffer;
    EXPECT_EQ(schedule->buffer(fetched).bytes(), 64 * 1024 * 4) << "what is added: " << text;
    EXPECT_NE(text.find("fetched while those of the tile before are made"), std::string::npos) << text;
    EXPECT_TRUE(nestOf(product(64, 64)).prefetches.empty()) << "the cache holds it";
    EXPECT_TRUE(nestOf(product(1024, 1)).prefetches.empty()) << "one row serves all tiles";
}

TEST_F(PrefetchTest, twoLoadsInOneLoopAreOnePass)
{
    const Origin origin(m_item);
    GraphBuilder builder(m_sources);
    const NodeId x = builder.placeholder(origin, DType::F32, {64, 1025}, {.name = "x", .initial = nullptr});
    const NodeId left = builder.shrink(origin, x, {{0, 0}, {64, 1024}}).value();
    const NodeId right = builder.shrink(origin, x, {{0, 1}, {64, 1025}}).value();
    const std::array both{left, right};
    const NodeId products = builder.elementwise(origin, Op::Mul, both).value();
    Result<Graph> finished =
        std::move(builder).finish(origin, {builder.reduce(origin, Op::Add, products, {1}).value()}, {"result"});
    const SchedulePtr schedule = test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    const LoopNest nest = nestOf(schedule);
    EXPECT_TRUE(nest.prefetches.empty()) << toText(nest, *schedule);
}

TEST_F(PrefetchTest, onlyLoopsHaveRoundsAhead)
{
    const SchedulePtr schedule = rows(64, 1024, Passes::Two);
    const LoopNest plain = nestOf(schedule, {.optimize = false});
    const auto problemOf = [&](const LoopNest &nest, std::string_view line) {
        const Result<Transform> transform = parseTransform(line);
        EXPECT_TRUE(transform) << toText(transform.error());
        EXPECT_EQ(toText(*transform), line);
        const Result<LoopNest> made = applyTransform(nest, *transform);
        return made ? std::string() : toText(made.error());
    };
    ValueId load;
    ValueId computed;
    for (std::size_t i = 0; i < plain.values.size(); ++i)
        (plain.values[i].kind == ValueKind::Load ? load : computed) = ValueId(i);
    const std::string v = format("prefetch v{} ", load.value);
    EXPECT_EQ(problemOf(plain, v + "i0 1"), "");
    EXPECT_NE(problemOf(plain, v + "i0 0").find("between 1 and 65536 rounds ahead"), std::string::npos);
    EXPECT_NE(problemOf(plain, v + "i0 65537").find("between 1 and 65536 rounds ahead"), std::string::npos);
    EXPECT_NE(problemOf(plain, format("prefetch v{} i0 1", computed.value)).find("loads nothing from a buffer"),
              std::string::npos);
    EXPECT_NE(problemOf(plain, "prefetch v99 i0 1").find(format("the kernel has {} values", plain.values.size())),
              std::string::npos);
    const auto threaded = applyTransform(plain, *parseTransform("set_type i0 thread"));
    ASSERT_TRUE(threaded);
    EXPECT_NE(problemOf(*threaded, v + "i0 1").find("i0 is no loop"), std::string::npos);
    EXPECT_FALSE(parseTransform("prefetch i0 1"));
    EXPECT_FALSE(parseTransform("prefetch v0 i0"));
}

} // namespace
} // namespace sw
