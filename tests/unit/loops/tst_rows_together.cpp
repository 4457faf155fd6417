// Rows that are reduced together: far apart where they come from memory, and those that read the same.

#include "engine/graph/interpreter.h"
#include "engine/types/random_fill.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

namespace sw {
namespace {

constexpr const char *kTogether = "rows at a time, far apart";
constexpr const char *kAhead = "prefetch";

// A core with 16 KiB of own cache; the cores share 64 KiB.
DeviceInfo smallCaches(std::uint32_t threads = 1)
{
    DeviceInfo device = test::smallCore(threads, 4 << 10, 4, 16 << 10);
    device.sharedCacheBytes = 64 << 10;
    return device;
}

std::string firstKernel(const std::string &text, std::uint32_t threads = 1)
{
    const std::string loops = test::loopsOn(smallCaches(threads), text, {});
    const std::size_t begin = loops.find("kernel k0");
    return loops.substr(begin, loops.find("kernel k1") - begin);
}

std::string sumOfRows(int rows, int columns = 512)
{
    return format("input x: f32[{}, {}]\noutput sum(x, axis = 1)\n", rows, columns);
}

bool areTogether(const std::string &loops, int rows)
{
    return loops.find(format("{} {}", rows, kTogether)) != std::string::npos;
}

TEST(RowsTogether, areAsManyRunsAsMemoryTakes)
{
    const std::string loops = firstKernel(sumOfRows(128));
    EXPECT_NE(loops.find("split i0 32"), std::string::npos) << loops;
    EXPECT_NE(loops.find("i0.o 4 upcast"), std::string::npos) << loops;
    EXPECT_LT(loops.find("for i0.i.i in 0..16"), loops.find("upcast i0.o in 0..4")) << loops;
    EXPECT_NE(loops.find("r1.i.o 2 unroll"), std::string::npos) << "with 4 rows, 8 accumulators: " << loops;
}

// 80 KiB stay in the caches, and from there one run comes as fast as four.
TEST(RowsTogether, areForWhatTheCachesDoNotHold)
{
    EXPECT_TRUE(areTogether(firstKernel(sumOfRows(44)), 4));
    EXPECT_FALSE(areTogether(firstKernel(sumOfRows(40)), 4));
}

TEST(RowsTogether, divideTheRows)
{
    EXPECT_TRUE(areTogether(firstKernel(sumOfRows(125)), 5));
    EXPECT_TRUE(areTogether(firstKernel(sumOfRows(126)), 3));
    EXPECT_TRUE(areTogether(firstKernel(sumOfRows(98)), 7));
    EXPECT_TRUE(areTogether(firstKernel(sumOfRows(82)), 2));
    EXPECT_EQ(firstKernel(sumOfRows(127)).find(kTogether), std::string::npos);
}

// Each thread has a part of each run.
TEST(RowsTogether, leaveRowsForAllThreads)
{
    const std::string loops = firstKernel(sumOfRows(128), 2);
    EXPECT_LT(loops.find("thread i0.i.o"), loops.find("upcast i0.o")) << loops;
    EXPECT_EQ(firstKernel(sumOfRows(32, 960), 32).find(kTogether), std::string::npos);
}

// Of the first kernel.
std::int64_t workItems(const std::string &loops)
{
    constexpr std::string_view kIn = " in 0..";
    const std::size_t thread = loops.find("thread ");
    const std::size_t at = loops.find(kIn, thread);
    return thread == std::string::npos || at == std::string::npos ? 1 : std::stoll(loops.substr(at + kIn.size()));
}

// Axes that cannot be merged: the threads share the longest loop, of which rows that are taken together leave as many rounds as
// they can.
TEST(RowsTogether, leaveTheLongestLoopToTheThreads)
{
    const std::string outer =
        firstKernel("input x: f32[8, 512, 256]\ninput v: f32[8, 1, 256]\noutput sum(x * v, axis = 2)\n", 16);
    EXPECT_NE(outer.find("split i0 2"), std::string::npos) << outer;
    EXPECT_GE(workItems(outer), 16) << outer;
    const std::string inner =
        firstKernel("input x: f32[16, 8, 8192]\ninput v: f32[16, 1, 8192]\noutput sum(x * v, axis = 2)\n", 16);
    EXPECT_NE(inner.find("split i1 2"), std::string::npos) << inner;
    EXPECT_EQ(workItems(inner), 16) << inner;
    const std::string few = firstKernel("input x: f32[4, 8, 8192]\ninput v: f32[4, 1, 8192]\noutput sum(x * v, axis = 2)\n", 16);
    EXPECT_EQ(workItems(few), 8) << "with four fewer it would be a loop of 4 or 2: " << few;
    const std::string batch =
        firstKernel("input x: f32[2, 3, 512]\ninput w: f32[2, 2048, 512]\noutput x @ swapaxes(w, 1, 2)\n", 16);
    EXPECT_NE(batch.find("loaded once"), std::string::npos) << batch;
    EXPECT_GE(workItems(batch), 16) << batch;
    const std::string row = firstKernel("input x: f32[2, 3, 64, 512]\ninput m: f32[2, 1, 64, 512]\na = x + m\n"
                                        "output a - max(a, axis = 3, keepdims = true)\n",
                                        16);
    EXPECT_GE(workItems(row), 16) << row;
}

// Each of two matrices is a run, of which there are at most eight; what is read for each row again is none.
TEST(RowsTogether, countTheRunsOfAllOperands)
{
    const auto sumOf = [](const char *what) {
        return firstKernel(format("input x: f32[128, 512]\ninput y: f32[128, 512]\ninput z: f32[128, 512]\ninput v: f32[512]\n"
                                  "output sum({}, axis = 1)\n",
                                  what));
    };
    EXPECT_TRUE(areTogether(sumOf("x * y"), 4));
    EXPECT_TRUE(areTogether(sumOf("x * y * z"), 2));
    EXPECT_TRUE(areTogether(sumOf("x * v"), 4));
    EXPECT_EQ(sumOf("exp(x)").find(kTogether), std::string::npos) << "its arithmetic takes longer than its memory";
}

// The second pass over four rows finds them in the cache, and the next ones come fast enough when their turn comes.
TEST(RowsTogether, areReadAgainFromTheCache)
{
    const auto twoPasses = [](int rows, int columns) {
        return firstKernel(format(
            "input x: f32[{}, {}]\nd = x - max(x, axis = 1, keepdims = true)\noutput sum(d * d, axis = 1)\n", rows, columns));
    };
    const std::string near = twoPasses(128, 512);
    EXPECT_TRUE(areTogether(near, 4)) << near;
    EXPECT_EQ(near.find(kAhead), std::string::npos) << near;
    const std::string two = twoPasses(64, 1024);
    EXPECT_TRUE(areTogether(two, 2)) << two;
    const std::string far = twoPasses(61, 1024);
    EXPECT_EQ(far.find(kTogether), std::string::npos) << far;
    EXPECT_NE(far.find(kAhead), std::string::npos) << far;
}

// One sum is done in parts, which are rows; so are a few long ones. With strict, nothing is added up in parts.
TEST(RowsTogether, arePartsOfOneSum)
{
    for (const std::uint32_t threads : {1U, 2U}) {
        const std::string one = firstKernel("input x: f32[65536]\noutput sum(x)\n", threads);
        EXPECT_TRUE(areTogether(one, 4)) << one;
        const std::string three = firstKernel("input x: f32[3, 32768]\noutput sum(x, axis = 1)\n", threads);
        EXPECT_TRUE(areTogether(three, 4)) << three;
    }
    // In multiples of four, that divide the sum (20; 17 would, too) or leave a rest (6 behind 16 parts).
    for (const int elements : {20 * 17 * 193, 2 * 17 * 1931}) {
        const std::string odd = firstKernel(format("input x: f32[{}]\noutput sum(x)\n", elements));
        EXPECT_TRUE(areTogether(odd, 4)) << odd;
    }
    const std::string small = firstKernel("input x: f32[16384]\noutput sum(x)\n");
    EXPECT_EQ(small.find(kTogether), std::string::npos) << small;
    const std::string strict = test::loopsOn(smallCaches(), "input x: f32[65536]\noutput sum(x)\n", {.strict = true});
    EXPECT_EQ(strict.find(kTogether), std::string::npos) << strict;
}

// Also with bounds that a run decides: the rows that there are may be fewer.
TEST(RowsTogether, areNotRowsThatARunMayLack)
{
    const std::string loops = firstKernel("n: dim[1, 128]\ninput x: f32[n, 512]\noutput sum(x, axis = 1)\n");
    EXPECT_EQ(loops.find(kTogether), std::string::npos) << loops;
}

std::string product(int rows, int steps, int columns, const char *weights = "w.T")
{
    const bool isTurned = std::string_view(weights) == "w.T";
    return format("input x: f32[{0}, {1}]\nparam w: f32[{2}, {3}] = random(1)\noutput x @ {4}\n", rows, steps,
                  isTurned ? columns : steps, isTurned ? steps : columns, weights);
}

// Each weight comes from memory once for all rows of a batch, and weights of four rows at a time.
TEST(RowsTogether, shareTheWeightsOfABatch)
{
    const std::string loops = firstKernel(product(3, 512, 128));
    EXPECT_NE(loops.find("upcast i0 in 0..3"), std::string::npos) << loops;
    EXPECT_NE(loops.find("3 rows at a time: what they read alike is loaded once"), std::string::npos) << loops;
    EXPECT_TRUE(areTogether(loops, 4)) << loops;
    EXPECT_EQ(loops.find("thread i0"), std::string::npos) << loops;
    // Six rows leave registers for two, and seven are tiles.
    EXPECT_TRUE(areTogether(firstKernel(product(6, 512, 128)), 2));
    EXPECT_EQ(firstKernel(product(7, 512, 128)).find("loaded once"), std::string::npos);
    EXPECT_EQ(firstKernel("n: dim[1, 4]\ninput x: f32[n, 512]\nparam w: f32[128, 512] = random(1)\noutput x @ w.T\n")
                  .find("loaded once"),
              std::string::npos);
}

// One panel of columns is no panel for one thread: many rows are shared, and each work item packs it.
TEST(RowsTogether, tilesOfOnePanelAreShared)
{
    DeviceInfo device = smallCaches(2);
    test::setCaches(device, 512 << 10);
    device.firstLevelBytes = 32 << 10;
    const std::string loops = test::loopsOn(device, "input x: f32[4096, 64]\ninput w: f32[16, 64]\noutput x @ w.T\n", {});
    EXPECT_NE(loops.find("6 x 2 register tile"), std::string::npos) << "two panels of one vector were worse: " << loops;
    EXPECT_NE(loops.find("thread i0"), std::string::npos) << loops;
    const std::string few = test::loopsOn(device, "input x: f32[1024, 64]\ninput w: f32[16, 64]\noutput x @ w.T\n", {});
    EXPECT_EQ(few.find("6 x 2 register tile"), std::string::npos) << "packing would take too long: " << few;
}

// Its cycles do not tell that a tile reads memory across the runs of its rows.
TEST(RowsTogether, readMemoryInLongRuns)
{
    DeviceInfo device = smallCaches();
    test::setCaches(device, 64 << 10);
    device.sharedCacheBytes = 128 << 10;
    const std::string loops = test::loopsOn(device, product(6, 64, 1024), {});
    EXPECT_NE(loops.find("and memory is read in long runs"), std::string::npos) << loops;
    EXPECT_TRUE(areTogether(loops, 2)) << loops;
    const std::string brief = test::loopsOn(device, product(6, 32, 2048), {});
    EXPECT_EQ(brief.find("loaded once"), std::string::npos) << brief;
}

// From a cache, sums that do not stay in registers cost more than other runs of memory.
TEST(RowsTogether, shareWhatACacheHoldsIfItIsCheaper)
{
    const std::string loops = firstKernel(product(3, 512, 32));
    EXPECT_NE(loops.find("3 rows at a time: what they read alike is loaded once"), std::string::npos) << loops;
    EXPECT_NE(loops.find("2 at a time share what the rows of the other operand load"), std::string::npos) << loops;
    EXPECT_NE(loops.find("less than any tile of the outputs"), std::string::npos) << loops;
    const std::string brief = firstKernel(product(3, 16, 512));
    EXPECT_EQ(brief.find("loaded once"), std::string::npos) << "few steps do not pay for adding up lanes: " << brief;
}

// Weights whose columns lie side by side: a few steps for many columns and all rows.
TEST(RowsTogether, readColumnsOnce)
{
    const std::string loops = firstKernel(product(3, 64, 512, "w"));
    EXPECT_NE(loops.find("8 steps of 128 columns at a time"), std::string::npos) << loops;
    EXPECT_NE(loops.find("3 rows read the same columns"), std::string::npos) << loops;
    EXPECT_NE(loops.find("1536 bytes of partial results stay in the core's own part of the cache"), std::string::npos) << loops;
    DeviceInfo little = smallCaches();
    little.scratchBytes = 2048;
    const std::string brief = test::loopsOn(little, product(3, 64, 512, "w"), {});
    EXPECT_NE(brief.find("8 steps of 64 columns at a time"), std::string::npos) << "half of a work item's memory: " << brief;
    const std::string groups = firstKernel("input x: f32[2, 3, 512]\ninput w: f32[2, 512, 4096]\noutput x @ w\n", 16);
    EXPECT_NE(groups.find("8 steps of"), std::string::npos) << groups;
    EXPECT_GE(workItems(groups), 16) << groups;
    EXPECT_EQ(firstKernel(product(3, 32, 512, "w")).find("read the same columns"), std::string::npos) << "the caches hold them";
    EXPECT_EQ(firstKernel(product(8, 64, 512, "w")).find("read the same columns"), std::string::npos);
}

TEST(RowsTogether, giveTheReferencesValues)
{
    for (const char *text : {"input x: f32[126, 515]\ninput v: f32[515]\noutput sum(x * v, axis = 1)\n",
                             "input x: f32[40, 771]\noutput var(x, axis = 1)\n",
                             "input x: f32[40, 771]\noutput min(x, axis = 1)\noutput max(x, axis = 1)\n",
                             "input x: f32[100003]\noutput sum(x)\n", "input x: f32[132, 513]\noutput argmax(x, axis = 1)\n",
                             "input x: f32[3, 515]\ninput w: f32[126, 515]\noutput relu(x @ w.T)\n",
                             "input x: f32[5, 77]\ninput w: f32[77, 1030]\noutput relu(x @ w)\n",
                             "input x: f32[2, 3, 515]\ninput w: f32[2, 126, 515]\noutput x @ swapaxes(w, 1, 2)\n"}) {
        SCOPED_TRACE(text);
        const GraphPtr graph = test::graphOfText(text);
        ASSERT_NE(graph, nullptr);
        const PipelineRun run = runPipeline(graph, standardPipeline(), {smallCaches(2), TargetLanguage::Llvm, {}}, {});
        ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
        const auto *lowered = std::get_if<LoweredProgramPtr>(&run.steps.back().after);
        ASSERT_NE(lowered, nullptr);
        std::vector<HostTensor> inputs;
        for (const NodeId id : graph->placeholders())
            inputs.push_back(randomTensor(graph->node(id).dtype, graph->node(id).shape, 11 + id.value));
        const std::string loops = test::loopsOn(smallCaches(2), text, {});
        EXPECT_TRUE(loops.find("at a time, far apart") != std::string::npos ||
                    loops.find("rows read the same columns") != std::string::npos)
            << loops;
        const auto expected = interpretGraph(*graph, inputs);
        const auto actual = test::runLowered(**lowered, inputs);
        ASSERT_TRUE(expected && actual);
        for (std::int64_t i = 0; i < expected->front().elements(); ++i) {
            const double wanted = expected->front().at(i).asDouble();
            ASSERT_NEAR(wanted, actual->front().at(i).asDouble(), 1e-3 + 1e-5 * std::abs(wanted)) << i;
        }
    }
}

} // namespace
} // namespace sw
