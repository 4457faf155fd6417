// A dimension that is known when the program runs costs no vector lanes, and no value in memory twice.

#include "engine/loops/verifier.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace sw {
namespace {

constexpr const char *kAttention = "n: dim[1, 4096] = 64\n"
                                   "input q: f32[n, 64]\ninput k: f32[n, 64]\ninput v: f32[n, 64]\n"
                                   "scores = q @ k.T / 8\n"
                                   "output softmax(scores, axis = -1) @ v\n";

std::size_t count(const std::string &text, const std::string &word)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

// The steps past its end are masked in the kernel that reduces along it, which reads the scores themselves too.
TEST(OpenDimensions, storeWhatReductionsMaskOnce)
{
    const std::string loops = test::allLoopsOfText(kAttention, 1, {});
    EXPECT_EQ(count(loops, "kernel k"), 2U) << loops;
    EXPECT_EQ(count(loops, "store "), 4U) << loops; // two of them stay with the work item
    EXPECT_EQ(count(loops, "store kept"), 2U) << loops;
}

// Of softmax along the rows of a value of that shape, where n is at most 4096, on two threads.
std::string loopsOfSoftmax(std::string_view shape)
{
    return test::allLoopsOfText(format("n: dim[1, 4096]\ninput x: f32[{}]\noutput softmax(x, axis = -1)\n", shape), 2, {});
}

// Rows end in all stages, and what a stage keeps of a row ends where the row does.
TEST(OpenDimensions, endTheStagesOfAKernel)
{
    const auto expect = [](const std::string &loops, const std::vector<std::string_view> &parts) {
        EXPECT_EQ(count(loops, "kernel k"), 1U) << loops;
        for (const std::string_view part : parts)
            EXPECT_NE(loops.find(part), std::string::npos) << part << " in " << loops;
    };
    expect(loopsOfSoftmax("n, 1024"), {"keeps 1024 elements", "while s0_i0 < n", "while i0 < n"});
    expect(loopsOfSoftmax("256, n"), {"while s0_i1 < n", "while r2 < n"});
    EXPECT_EQ(loopsOfSoftmax("256, n").find("while s0_i0"), std::string::npos);
}

TEST(OpenDimensions, endNoStageAlone)
{
    const GraphPtr graph = test::graphOfText("n: dim[1, 4096]\ninput x: f32[n, 1024]\noutput softmax(x, axis = -1)\n");
    const DeviceInfo device = test::vectorDevice(2, 64);
    const PipelineRun run = runPipeline(graph, standardPipeline(), {device, TargetLanguage::Llvm, {}}, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    for (const PassStep &step : run.steps) {
        const auto *made = std::get_if<LoopProgramPtr>(&step.after);
        if (made == nullptr)
            continue;
        LoopNest nest = *(*made)->nests.front();
        EXPECT_TRUE(verifyLoops(nest, *(*made)->schedule));
        LoopNest &stage = nest.stages.front();
        stage.axes[stage.domain.front().value].end = ValueId();
        const Result<Done> verified = verifyLoops(nest, *(*made)->schedule);
        ASSERT_FALSE(verified);
        EXPECT_NE(toText(verified.error()).find("s0_i0 does not end where the kernel's rows do"), std::string::npos)
            << toText(verified.error());
    }
}

// The work items take turns of few rows, so that a short run keeps all threads busy; matrices beside the rows are read for 16.
TEST(OpenDimensions, shareTheRowsOfStages)
{
    const std::string rows = loopsOfSoftmax("n, 1024");
    EXPECT_NE(rows.find("thread i0.i in 0..8 while i0 < n\n      for i0.o in 0..512 while i0 < n"), std::string::npos) << rows;
    EXPECT_NE(rows.find("8 work items take turns"), std::string::npos) << rows;
    const std::string fixed = test::allLoopsOfText("input x: f32[4096, 1024]\noutput softmax(x, axis = -1)\n", 2, {});
    EXPECT_EQ(fixed.find("take turns"), std::string::npos) << fixed;
    const std::string layers =
        test::allLoopsOfText("n: dim[1, 4096]\ninput x: f32[n, 784]\nparam w: f32[784, 128] = random(1)\n"
                             "param v: f32[128, 10] = random(2)\noutput softmax(relu(x @ w) @ v, axis = -1)\n",
                             2, {});
    EXPECT_NE(layers.find("blocks of 16 rows"), std::string::npos) << layers;
}

// Tiles of many columns would do much that a short run does not need.
TEST(OpenDimensions, haveNarrowTiles)
{
    const std::string open =
        test::allLoopsOfText("n: dim[1, 4096]\ninput x: f32[128, 784]\ninput w: f32[784, n]\noutput x @ w\n", 1, {});
    EXPECT_NE(open.find("12 x 2 register tile"), std::string::npos) << open;
    const std::string fixed = test::allLoopsOfText("input x: f32[128, 784]\ninput w: f32[784, 4096]\noutput x @ w\n", 1, {});
    EXPECT_EQ(fixed.find("12 x 2 register tile"), std::string::npos) << fixed;
    // The price is that of the largest extent, as ever.
    const auto priceOf = [](const std::string &loops) { return loops.substr(loops.find("about "), 14); };
    EXPECT_LE(std::abs(std::stod(priceOf(open).substr(6)) / std::stod(priceOf(fixed).substr(6)) - 1), 0.1) << priceOf(open);
}

// The length has 64 bits, but is one for the whole kernel: a vector has as many lanes as it has f32.
TEST(OpenDimensions, haveVectorsOfWholeRegisters)
{
    const std::string loops = test::allLoopsOfText("n: dim[1, 4000]\ninput x: f32[n]\noutput sum(x) / n\n", 1, {});
    EXPECT_NE(loops.find("vectors of 16 lanes"), std::string::npos) << loops;
}

// A mask that everybody reads through is stored as any value.
TEST(OpenDimensions, leaveOtherMasksWhereTheyAre)
{
    const std::string loops = test::allLoopsOfText("input q: f32[512, 64]\ninput k: f32[512, 64]\ninput m: bool[512, 512]\n"
                                                   "s = where(m, q @ k.T, -inf)\n"
                                                   "output exp(s - max(s, axis = -1, keepdims = true))\n",
                                                   1, {});
    EXPECT_EQ(count(loops, "kernel k"), 2U) << loops;
    EXPECT_LT(loops.find("where"), loops.find("kernel k1")) << loops;
    const std::string alone = test::allLoopsOfText("input q: f32[512, 64]\ninput k: f32[512, 64]\ninput m: bool[512, 512]\n"
                                                   "output max(where(m, q @ k.T, -inf), axis = -1)\n",
                                                   1, {});
    EXPECT_EQ(count(alone, "kernel k"), 2U) << alone;
    EXPECT_LT(alone.find("where"), alone.find("kernel k1")) << alone;
}

} // namespace
} // namespace sw
