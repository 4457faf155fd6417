// Copies that a group shares, padded axes, and the tiles that are chosen for GPUs.

#include "engine/passes/loops/gpu_price.h"
#include "tests/unit/loops/transform_lists.h"

#include "engine/lowered/type_rules.h"

#include <regex>

namespace sw {
namespace {

using Lines = std::vector<std::string>;

Lines operator+(Lines first, const Lines &more)
{
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

// 2 x 4 work items in a group, 4 x 8 sums for each group.
const Lines kGroup{"pad i0 4",
                   "pad i1 8",
                   "pad r2 4",
                   "split i0.p 4",
                   "split i1.p 8",
                   "split i0.p.i 2",
                   "split i1.p.i 2",
                   "reorder i0.p.o i1.p.o i0.p.i.o i1.p.i.o i0.p.i.i i1.p.i.i",
                   "set_type i0.p.o global",
                   "set_type i1.p.o global",
                   "set_type i0.p.i.o local",
                   "set_type i1.p.i.o local",
                   "set_type i0.p.i.i upcast",
                   "set_type i1.p.i.i vector",
                   "split r2.p 4"};

class SharedCopiesTest : public test::TransformLists {
protected:
    SchedulePtr productOf(std::int64_t rows, std::int64_t columns, std::int64_t depth)
    {
        m_builder.emplace(m_sources);
        return scheduled({product(rows, columns, depth)});
    }

    static DeviceInfo gpu()
    {
        DeviceInfo device = test::vectorDevice(16, 16);
        device.kind = DeviceKind::Gpu;
        device.maxWorkgroup = 256;
        device.localMemoryBytes = 32 << 10;
        return device;
    }
};

TEST_F(SharedCopiesTest, legalListsComputeWhatPlainLoopsDo)
{
    const SchedulePtr two = productOf(7, 21, 13);
    const std::vector<Lines> legal{
        kGroup,
        kGroup + Lines{"share v0 r2.p.o r2.p.i i0.p.i 0", "share v1 r2.p.o r2.p.i i1.p.i 0"},
        kGroup + Lines{"share v0 r2.p.o i0.p.i r2.p.i 4", "share v1 r2.p.o r2.p.i i1.p.i 2"},
        kGroup + Lines{"share v1 r2.p.o i1.p.i r2.p.i 1"},                  // its vectors lie apart
        kGroup + Lines{"share v1 i1.p.o r2.p i1.p.i 0"},                    // all steps at once
        kGroup + Lines{"share v0 i0.p.o i0.p.i r2.p 3", "unroll r2.p.i 4"}, // for all columns
        kGroup + Lines{"set_type r2.p.i unroll", "share v0 r2.p.o i0.p.i r2.p.i 0"},
        {"set_type i1 local", "share v0 i0 r2 0"}, // one row for a group
        {"set_type i1 local", "share v0 r2 i1 0"}, // an axis that does not move the load
        {"set_type i0 local", "set_type i1 local"},
        {"split i1 7", "split i1.i 1", "reorder i0 i1.o i1.i.i i1.i.o", "set_type i1.i.i local", "set_type i0 global",
         "set_type i1.i.o upcast"},
        {"split i1 7", "reorder i0 i1.i i1.o", "set_type i1.i local", "set_type i1.o upcast", "share v1 r2 i1 0"}, // 7 apart
        {"pad i0 2", "pad i1 4"},
        {"pad i1 8", "set_type i1.p vector"}, // 21 of 24 lanes
        {"pad i1 8", "split i1.p 8", "set_type i1.p.i vector", "pack v1 i0 r2 i1.p"},
        {"pad r2 2", "set_type r2.p vector"},
        {"pad i1 4", "pad r2 8", "split r2.p 8", "reorder r2.p.o i0 i1.p"}, // in blocks
    };
    for (const Lines &lines : legal)
        EXPECT_EQ(problemOf(two, lines), "") << join(lines, "; ");
}

// The list of resources/docs/loops.md.
TEST_F(SharedCopiesTest, theDocumentedListComputesWhatPlainLoopsDo)
{
    const Lines documented{"pad i0 64",
                           "split i0.p 64",
                           "split i0.p.i 4",
                           "split i1 64",
                           "split i1.i 4",
                           "split r2 8",
                           "reorder i0.p.o i1.o i0.p.i.o i1.i.o i0.p.i.i i1.i.i",
                           "set_type i0.p.o global",
                           "set_type i1.o global",
                           "set_type i0.p.i.o local",
                           "set_type i1.i.o local",
                           "set_type i0.p.i.i upcast",
                           "set_type i1.i.i vector",
                           "share v0 r2.o r2.i i0.p.i 4",
                           "share v1 r2.o r2.i i1.i 0"};
    EXPECT_EQ(problemOf(productOf(100, 128, 32), documented), "");
}

TEST_F(SharedCopiesTest, refusesWhatAGroupCannotShare)
{
    const SchedulePtr two = productOf(7, 21, 13);
    const auto refused = [&](const Lines &lines, const char *why) {
        const std::string problem = problemOf(two, lines);
        EXPECT_NE(problem.find(why), std::string::npos) << join(lines, "; ") << ": " << problem;
    };
    const Lines one{"set_type i1 local"};
    refused({"share v0 i0 r2 0"}, "no axis is local");
    EXPECT_NE(problemOf(line(70000), {"set_type i0 local"}).find("a group would have 70000 work items"), std::string::npos);
    refused(one + Lines{"share v0 i0 0"}, "no axis indexes the copy");
    refused(one + Lines{"share v0 i0 r2 100"}, "between 0 and 64 elements apart");
    refused(one + Lines{"share v0 i1 r2 0"}, "i1 is local; a group makes a copy at a loop");
    refused(one + Lines{"share v2 i0 r2 0"}, "a copy takes a load");
    refused(one + Lines{"share v1 i0 r2 0"}, "the load moves with i1, which does not index the copy");
    refused(one + Lines{"share v0 i0 i0 r2 0"}, "i0 indexes the copy, but i0 is a loop outside of it");
    refused(one + Lines{"share v0 i0 r2 r2 0"}, "r2 indexes the copy twice");
    refused(one + Lines{"share v0 i0 r2 0", "share v0 i0 r2 0"}, "a copy of v0 already");
    refused(one + Lines{"split r2 4", "share v0 i0 r2 0"}, "the splits of r2 leave a rest; pad it");
    refused(one + Lines{"split i0 2", "share v1 i0.o r2 i1 0"}, "the splits of i0 leave a rest, which would be");
    refused(one + Lines{"set_type i0 global", "group i0 2", "share v1 r2 i1 0"}, "the groups of i0 leave work items");
    refused({"set_type r2 local", "share v0 i0 r2 0"}, "the items of a group share the steps of r2");
    refused({"split i0 7", "set_type i0.o local", "share v0 i0 r2 0"}, "it was split, divided or merged");
    refused(kGroup + Lines{"share v1 r2.p.o r2.p.i i1.p.i.i i1.p.i.o 0", "set_type i1.p.i.o upcast"},
            "let i1.p.i index the copy");
    refused({"set_type i0 local", "split r2 1", "reorder i0 r2.o i1", "share v1 r2.o r2.i i1 0"},
            "a reduction in blocks keeps its partial results");
    refused({"set_type i1 vector", "mask i1", "set_type i0 local", "share v1 r2 i1 0"}, "the vectors of i1 are masked");
    refused({"set_type i1 local", "set_type r2 vector", "share v0 r2 i1 0"}, "r2 is vector; a group makes a copy at a loop");
    // What comes later may not take from a copy what it needs.
    refused(one + Lines{"share v0 i0 r2 0", "set_type i1 loop"}, "no axis is local");
}

TEST_F(SharedCopiesTest, refusesWhatCannotBePadded)
{
    const SchedulePtr two = productOf(7, 21, 13);
    const auto refused = [&](const Lines &lines, const char *why) {
        const std::string problem = problemOf(two, lines);
        EXPECT_NE(problem.find(why), std::string::npos) << join(lines, "; ") << ": " << problem;
    };
    refused({"pad i0 7"}, "i0 has 7 indices, which 7 divides");
    refused({"pad i0 1"}, "to a multiple of 2 to 4096");
    refused({"pad i0 8192"}, "to a multiple of 2 to 4096");
    refused({"pad i0 4", "pad i0.p 3"}, "i0.p is padded already");
    refused({"split i0 2", "pad i0.i 4"}, "i0.i is a part of an axis");
    refused({"pack v1 i0 i1 r2", "pad i0 4"}, "axes are padded before what is read is copied");
    refused({"pad i1 4", "merge i0 i1.p"}, "i1.p is padded; axes are merged before that");
    refused({"pad i0 4", "pad i0 4"}, "axis i0 is not a loop");
}

// A sum that is no product reads 0 where a padded axis has no index, and that is another value than nothing.
TEST_F(SharedCopiesTest, stepsThatDoNotExistAddNothing)
{
    m_builder.emplace(m_sources);
    const NodeId x = input({5, 13});
    const SchedulePtr largest = scheduled({reduced(op(Op::Sub, x, input({1, 13})), {1}, Op::Min)});
    EXPECT_EQ(problemOf(largest, {"pad r1 4", "split r1.p 4", "set_type r1.p.i unroll"}), "");
    EXPECT_EQ(problemOf(largest, {"pad r1 4", "split r1.p 4", "set_type r1.p.i vector"}), "");
    EXPECT_EQ(problemOf(largest, {"pad r1 4", "split r1.p 4", "set_type r1.p.i local"}), "");
}

TEST_F(SharedCopiesTest, choosesTilesOfGroupsForProducts)
{
    for (const auto &[rows, columns, depth] : {std::array<std::int64_t, 3>{128, 128, 64}, {130, 129, 65}, {100, 40, 300}}) {
        const SchedulePtr schedule = productOf(rows, columns, depth);
        for (const bool strict : {false, true}) {
            const auto loops = test::loopsFor(schedule, gpu(), {.strict = strict});
            ASSERT_TRUE(loops) << toText(loops.error());
            const LoopNest &nest = *(*loops)->nests.front();
            EXPECT_EQ(nest.packs.size(), 2U) << toText(nest, *schedule);
            EXPECT_TRUE(verifyLoops(nest, *schedule));
            std::vector<HostTensor> inputs;
            for (const NodeId id : schedule->graph->placeholders())
                inputs.push_back(randomTensor(schedule->graph->node(id).dtype, schedule->graph->node(id).shape, 7 + id.value));
            const LoopNest plain = *(*test::loopsFor(schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
            const auto expected = valuesOf(schedule, plain, inputs);
            const auto actual = valuesOf(schedule, nest, inputs);
            ASSERT_TRUE(expected);
            ASSERT_TRUE(actual) << toText(actual.error());
            // Each sum is added up in the source's order, padded or not.
            for (std::int64_t i = 0; i < rows * columns; ++i)
                ASSERT_EQ(expected->front().at(i), actual->front().at(i)) << i;
        }
    }
}

// On a GPU of 132 units these were measured to be quicker in tiles, a deep product as well as small ones.
TEST_F(SharedCopiesTest, choosesTilesForSmallProductsOnManyUnits)
{
    DeviceInfo large = gpu();
    large.threads = 132;
    large.localMemoryBytes = 48 << 10;
    for (const auto &[rows, columns, depth] : {std::array<std::int64_t, 3>{64, 64, 64}, {128, 128, 128}, {64, 64, 2048}}) {
        const SchedulePtr schedule = productOf(rows, columns, depth);
        const auto loops = test::loopsFor(schedule, large, {});
        ASSERT_TRUE(loops) << toText(loops.error());
        EXPECT_EQ((*loops)->nests.front()->packs.size(), 2U) << rows << " " << columns << " " << depth;
    }
}

TEST_F(SharedCopiesTest, smallProductsStayAsTheyAre)
{
    for (const auto &[rows, columns, depth] : {std::array<std::int64_t, 3>{8, 8, 8}, {1, 512, 512}, {16, 16, 16}}) {
        const SchedulePtr schedule = productOf(rows, columns, depth);
        const auto loops = test::loopsFor(schedule, gpu(), {});
        ASSERT_TRUE(loops);
        EXPECT_TRUE((*loops)->nests.front()->packs.empty()) << toText(*(*loops)->nests.front(), *schedule);
    }
}

// The reason says what the price is made of; the price is made of that.
TEST_F(SharedCopiesTest, thePriceIsThatOfItsTerms)
{
    const SchedulePtr schedule = productOf(500, 300, 200);
    const auto loops = test::loopsFor(schedule, gpu(), {});
    ASSERT_TRUE(loops);
    const std::string text = toText(*(*loops)->nests.front(), *schedule);
    const std::regex pattern(
        "(\\d+) work items in a group compute (\\d+) x (\\d+) sums, (\\d+) x (\\d+) each: (\\d+) cycles: (\\d+) "
        "times the most of (\\d+) for products and (\\d+) for copying, (\\d+) for memory and (\\d+) for the group's copies, and "
        "(\\d+) "
        "of waiting \\(blocks (\\d+), groups at once (\\d+)\\); groups in all (\\d+), (\\d+) bytes from memory per "
        "1000 products; (\\d+) cycles without tiles");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, pattern)) << text;
    std::vector<std::int64_t> n;
    for (std::size_t i = 1; i < found.size(); ++i)
        n.push_back(std::stoll(found[i]));
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t rows = n[1];
    const std::int64_t columns = n[2];
    std::smatch block;
    ASSERT_TRUE(std::regex_search(text, block, std::regex("(\\d+) steps at once"))) << text;
    const std::int64_t steps = n[12] * std::stoll(block[1]);
    EXPECT_EQ(n[12], up(200, std::stoll(block[1])));
    EXPECT_EQ(n[0], rows / n[3] * (columns / n[4]));
    EXPECT_EQ(n[5], n[6] * (std::max({n[7] + n[8], n[9], n[10]}) + n[11]));
    EXPECT_EQ(n[14], up(500, rows) * up(300, columns));
    EXPECT_EQ(n[6], up(n[14], 16));
    EXPECT_EQ(n[11], n[12] * kGpuBlockCycles / n[13]);
    const std::int64_t warps = n[13] * n[0] / kGpuWarpItems;
    const auto issued = [&](std::int64_t instructions) {
        const std::int64_t active = std::min(warps, kGpuSchedulers);
        const std::int64_t cycles = up(instructions, active * kGpuWarpItems);
        return cycles + up(cycles * active, warps);
    };
    EXPECT_EQ(n[7], issued(rows * columns * steps));
    EXPECT_EQ(n[8], issued((rows + columns) * steps * kGpuCopyInstructions));
    EXPECT_EQ(n[9], up((rows + columns) * steps * 4, kGpuMemoryBytes));
    EXPECT_EQ(n[10], up(n[0] * (n[3] + n[4]) * steps * 4, kGpuNearBytes));
    EXPECT_EQ(n[15], (rows + columns) * 4000 / (rows * columns));
    EXPECT_LT(n[5], n[16]);
    EXPECT_EQ(n[16], untiledCycles({.rows = 500, .columns = 300, .steps = 200, .units = 16, .localBytes = 32 << 10}));
}

// A unit does instructions of four warps in each cycle, and with few of them it waits for results.
TEST_F(SharedCopiesTest, fewWarpsDoFewerProducts)
{
    const GpuProduct product{.rows = 512, .columns = 512, .steps = 512, .units = 128, .localBytes = 48 << 10};
    const GpuPrice one = priceOf(product, {.rows = 32, .columns = 64, .steps = 16, .ownRows = 8, .ownColumns = 8});
    const GpuPrice four = priceOf(product, {.rows = 32, .columns = 64, .steps = 16, .ownRows = 4, .ownColumns = 4});
    EXPECT_EQ(one.groups, four.groups);
    EXPECT_EQ(one.resident, 1); // there is no other group for the unit
    EXPECT_EQ(one.products, 4 * four.products);
    EXPECT_EQ(four.products, 2 * 32 * 64 * 512 / kGpuProducts);
}

// The bytes from memory per product fall as the tile grows.
TEST_F(SharedCopiesTest, largerTilesReadLess)
{
    const GpuProduct product{.rows = 1024, .columns = 1024, .steps = 1024, .units = 16, .localBytes = 48 << 10};
    std::int64_t before = 1 << 20;
    for (const std::int64_t side : {16, 32, 64, 128}) {
        const GpuPrice price = priceOf(product, {.rows = side, .columns = side, .steps = 16, .ownRows = 4, .ownColumns = 4});
        EXPECT_EQ(price.bytesPerThousand, 8000 / side);
        EXPECT_LT(price.bytesPerThousand, before);
        before = price.bytesPerThousand;
    }
    EXPECT_EQ(priceOf(product, {.rows = 128, .columns = 128, .steps = 64, .ownRows = 8, .ownColumns = 8}).resident, 0);
    EXPECT_EQ(priceOf(product, {.rows = 128, .columns = 128, .steps = 8, .ownRows = 16, .ownColumns = 16}).resident, 0);
}

} // namespace
} // namespace sw
