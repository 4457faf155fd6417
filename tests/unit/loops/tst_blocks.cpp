// Reductions in blocks: a loop of the reduction among the loops of the domain, with partial results in memory.

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sw {
namespace {

struct ProductSize {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t depth = 1;
};

// a @ b + bias as one kernel: the axes are i0 (rows), i1 (columns) and r2; v0 loads from a, v1 from b.
class BlocksTest : public ::testing::Test, protected test::OneItem {
protected:
    SchedulePtr product(DType dtype, const ProductSize &size) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId a = builder.placeholder(origin, dtype, {size.rows, 1, size.depth}, {.name = "a", .initial = nullptr});
        const NodeId b = builder.placeholder(origin, dtype, {size.depth, size.columns}, {.name = "b", .initial = nullptr});
        const NodeId bias = builder.placeholder(origin, dtype, {1, size.columns}, {.name = "bias", .initial = nullptr});
        const NodeId turned = builder.permute(origin, b, {1, 0}).value();
        const NodeId columns = builder.reshape(origin, turned, {1, size.columns, size.depth}).value();
        const std::array factors{a, columns};
        const NodeId products = builder.broadcasted(origin, Op::Mul, factors).value();
        const NodeId sums = builder.reduce(origin, Op::Add, products, {2}).value();
        const NodeId flat = builder.reshape(origin, sums, {size.rows, size.columns}).value();
        const std::array terms{flat, bias};
        const NodeId result = builder.broadcasted(origin, Op::Add, terms).value();
        Result<Graph> finished = std::move(builder).finish(origin, {result}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    static LoopNest plainNest(const SchedulePtr &schedule)
    {
        return *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
    }

    static Result<LoopNest> transformed(LoopNest nest, const std::vector<std::string> &lines)
    {
        for (const std::string &line : lines) {
            SW_TRY(const Transform transform, parseTransform(line));
            SW_TRY(nest, applyTransform(nest, transform));
        }
        return nest;
    }

    // The nest's values against those of the reference.
    static void checkValues(const SchedulePtr &schedule, const LoopNest &nest, double tolerance)
    {
        const Result<Done> verified = verifyLoops(nest, *schedule);
        ASSERT_TRUE(verified) << toText(verified.error());
        LoopProgram loops{.schedule = schedule};
        loops.nests.push_back(std::make_shared<const LoopNest>(nest));
        PassContext context(test::vectorDevice(), TargetLanguage::Lowered, {}, {});
        const auto lowered = lowerLoops(std::make_shared<const LoopProgram>(std::move(loops)), context);
        ASSERT_TRUE(lowered) << toText(lowered.error());
        std::vector<HostTensor> inputs;
        for (const NodeId id : schedule->graph->placeholders())
            inputs.push_back(randomTensor(schedule->graph->node(id).dtype, schedule->graph->node(id).shape, 7 + id.value));
        const auto expected = interpretGraph(*schedule->graph, inputs);
        const auto actual = test::runLowered(*lowered, inputs);
        ASSERT_TRUE(expected) << toText(expected.error());
        ASSERT_TRUE(actual) << toText(actual.error());
        for (std::int64_t i = 0; i < expected->front().elements(); ++i) {
            const double want = expected->front().at(i).asDouble();
            ASSERT_LE(std::abs(want - actual->front().at(i).asDouble()), tolerance * std::max(1.0, std::abs(want)))
                << "element " << i << "\n"
                << toText(nest, *schedule);
        }
    }

    static std::string problemOf(const LoopNest &nest, const std::vector<std::string> &lines)
    {
        const Result<LoopNest> made = transformed(nest, lines);
        return made ? std::string() : toText(made.error());
    }
};

// A list of transformations that does the product in blocks, with tiles, shares and packs of random sizes and places.
std::vector<std::string> randomBlocks(std::mt19937 &random, const ProductSize &size)
{
    const auto upTo = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const std::int64_t width = std::min<std::int64_t>(std::array{8, 16, 20, 32}.at(random() % 4), size.columns);
    std::vector<std::string> lines{format("split i1 {}", width)};
    std::string tile = "i0.i i1.i";
    if (width == 32) {
        lines.insert(lines.end(), {"split i1.i 16", "set_type i1.i.o upcast", "set_type i1.i.i vector"});
        tile = "i0.i i1.i.o i1.i.i";
    } else {
        lines.push_back(format("set_type i1.i {}", width == 20 ? "upcast" : "vector"));
    }
    lines.push_back(format("split i0 {}", upTo(2, std::min<std::int64_t>(size.rows, 7))));
    lines.emplace_back("set_type i0.i upcast");
    std::string outside;
    std::string panels = "i1.o";
    if (upTo(0, 2) > 0) {
        lines.push_back(format("split i1.o {}", upTo(1, size.columns / width)));
        lines.emplace_back("set_type i1.o.o thread");
        outside = "i1.o.o ";
        panels = "i1.o.i";
    }
    const std::int64_t block = upTo(2, size.depth);
    lines.push_back(format("split r2 {}", block));
    if (upTo(0, 2) == 0)
        lines.insert(lines.end(), {"split r2.i 2", "set_type r2.i.i unroll"});
    const bool arePanelsInside = upTo(0, 1) == 0;
    const std::string inside = arePanelsInside ? "i0.o " + panels : panels + " i0.o";
    lines.push_back(format("reorder {}r2.o {} {}", outside, inside, tile));
    // A copy is made where the rest of a split cannot be left out: inside of the loop over panels when that has one.
    if (upTo(0, 3) > 0 && (!outside.empty() || size.columns % width == 0))
        lines.push_back(format("pack v1 r2.o {} r2.i i1.i", panels));
    else if (upTo(0, 1) == 0)
        lines.push_back(format("pack v1 {} r2.i i1.i", panels));
    if (upTo(0, 1) == 0)
        lines.emplace_back("pack v0 i0.o r2.i i0.i");
    return lines;
}

TEST_F(BlocksTest, randomBlocksGiveTheSameValues)
{
    std::mt19937 random(20261122);
    std::size_t threads = 0;
    std::size_t packs = 0;
    for (int round = 0; round < 60; ++round) {
        const ProductSize size{static_cast<std::int64_t>(2 + random() % 30), static_cast<std::int64_t>(17 + random() % 60),
                               static_cast<std::int64_t>(5 + random() % 50)};
        const DType dtype = std::array{DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32}.at(random() % 5);
        const SchedulePtr schedule = product(dtype, size);
        const std::vector<std::string> lines = randomBlocks(random, size);
        SCOPED_TRACE(format("{} x {} x {} {}: {}", size.rows, size.depth, size.columns, nameOf(dtype),
                            join(lines, "; ", [](const std::string &line) { return line; })));
        const Result<LoopNest> nest = transformed(plainNest(schedule), lines);
        ASSERT_TRUE(nest) << toText(nest.error());
        EXPECT_TRUE(blockLoopOf(*nest));
        threads += nest->order.front() != *blockLoopOf(*nest) ? 1 : 0;
        packs += nest->packs.size();
        checkValues(schedule, *nest, dtype == DType::BF16 ? 2e-2 : dtype == DType::F16 ? 4e-3 : 1e-4);
    }
    EXPECT_GT(threads, 10U);
    EXPECT_GT(packs, 40U);
}

TEST_F(BlocksTest, saysWhatIsNotLegal)
{
    const LoopNest nest = plainNest(product(DType::F32, {12, 40, 30}));
    const std::vector<std::string> split{"split r2 8"};
    const auto after = [&](std::vector<std::string> more) {
        more.insert(more.begin(), split.begin(), split.end());
        return problemOf(nest, more);
    };
    EXPECT_EQ(after({"reorder r2.o i0 i1"}), "");
    EXPECT_EQ(after({"reorder r2.o i0 i1", "reorder i0 i1"}), ""); // the loop returns to its reduction
    EXPECT_EQ(problemOf(nest, {"reorder r2 i0 i1"}), "");
    EXPECT_NE(after({"reorder r2.o i0"}).find("each leaf of one loop list once"), std::string::npos);
    EXPECT_NE(after({"reorder r2.i i0 i1"}).find("must be the outermost part"), std::string::npos);
    EXPECT_NE(after({"reorder r2.o r2.i i0 i1"}).find("one may stand"), std::string::npos);
    EXPECT_NE(after({"set_type i0 thread", "reorder r2.o i0 i1"}).find("i0 is thread inside"), std::string::npos);
    EXPECT_NE(after({"reorder r2.o i0 i1", "merge i0 i1"}).find("before a reduction is done in blocks"), std::string::npos);
    EXPECT_NE(after({"split i1 16", "reorder i1.i r2.o i1.o i0"}).find("an outer part of i1 is inside"), std::string::npos);
    EXPECT_NE(after({"reorder r2.o i0 i1", "pack v1 r2.o r2 i1"}).find("r2.o is a loop outside"), std::string::npos);
    EXPECT_NE(after({"split i1 16", "set_type i1.i vector", "reorder r2.o i0 i1.o i1.i", "pack v1 r2.o i1.o r2.i i1.i"})
                  .find("leave out the rest of i1"),
              std::string::npos);
}

// A library's way, where a panel of the whole reduction leaves the cache; the reason's price follows from the tile.
TEST_F(BlocksTest, longReductionsAreDoneInBlocks)
{
    DeviceInfo device = test::vectorDevice(2, 64);
    test::setCaches(device, 128 << 10);
    const ProductSize size{56, 256, 2048};
    const SchedulePtr schedule = product(DType::F32, size);
    const auto program = test::loopsFor(schedule, device, {});
    ASSERT_TRUE(program) << toText(program.error());
    const LoopNest &nest = *(*program)->nests.front();
    const std::string text = toText(nest, *schedule);
    ASSERT_TRUE(blockLoopOf(nest)) << text;
    EXPECT_EQ(nest.packs.size(), 2U) << text;
    // 14 x 2 vectors: 14 cycles of arithmetic, one for the loop, one for the panel that 4 rows of tiles share; a load and a store
    // beside the reduction, code for each accumulator, and four cycles per vector and block of 128 steps for the partial results.
    const double tiles = 8.0 * 4.0 * 16.0 * 2048.0;
    const double vectors = 56.0 * 256.0 / 16.0;
    const double cycles = tiles + 2 * vectors / 2.0 + 28.0 * 60.0 + 16.0 * vectors * 4.0;
    EXPECT_NE(text.find(format("14 x 2 register tile of 16 lanes; about {:.0f} thousand cycles", cycles / 1000)),
              std::string::npos)
        << cycles << "\n"
        << text;
    checkValues(schedule, nest, 1e-3);

    test::setCaches(device, 64 << 10);
    for (const ProductSize &odd : {ProductSize{61, 300, 700}, ProductSize{30, 549, 601}}) { // rests of rows, columns and steps
        const SchedulePtr another = product(DType::F32, odd);
        const LoopNest oddNest = *(*test::loopsFor(another, device, {}))->nests.front();
        EXPECT_TRUE(blockLoopOf(oddNest)) << toText(oddNest, *another);
        checkValues(another, oddNest, 1e-3);
    }

    const auto strict = test::loopsFor(schedule, device, {.strict = true});
    ASSERT_TRUE(strict) << toText(strict.error());
    EXPECT_FALSE(blockLoopOf(*(*strict)->nests.front())); // it would add up in another order
    const auto shorter = test::loopsFor(product(DType::F32, {56, 256, 64}), device, {});
    EXPECT_FALSE(blockLoopOf(*(*shorter)->nests.front()));
}

} // namespace
} // namespace sw
