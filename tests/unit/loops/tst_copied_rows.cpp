// Rows that lie side by side in memory, a few in a line: copied for the panels of columns, and reductions in blocks where they do
// not stay in the cache with a panel.

#include "engine/graph/interpreter.h"
#include "engine/lowered/printer.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <variant>

namespace sw {
namespace {

constexpr const char *kCopied = "read again for every panel of columns, by a few elements of many lines";
constexpr const char *kBlocks = "in blocks of the reduction";

// A core with 32 KiB of first and 512 KiB of own cache.
DeviceInfo smallCaches(std::uint32_t threads = 1)
{
    return test::smallCore(threads, 32 << 10, 8, 512 << 10);
}

// Pixels times channels, as a convolution of 1 x 1 of so many rows and columns.
std::string pixels(int channels, int outputs, int height, int width)
{
    return format("input x: f32[1, {0}, {2}, {3}]\nparam w: f32[{1}, {0}, 1, 1] = random(1)\noutput conv2d(x, w)\n", channels,
                  outputs, height, width);
}

std::string lastKernel(const DeviceInfo &device, const std::string &text)
{
    const std::string loops = test::loopsOn(device, text, {.winograd = false});
    return loops.substr(loops.rfind("kernel k"));
}

// Steps of 49 pixels are 196 bytes apart, nearly three lines; 52 pixels are a quarter of a line more, which is fetched ahead.
TEST(CopiedRows, serveAllPanels)
{
    const std::string copied = lastKernel(smallCaches(), pixels(256, 256, 7, 7));
    EXPECT_NE(copied.find(kCopied), std::string::npos) << copied;
    EXPECT_NE(copied.find("a copy of a row of tiles serves all panels"), std::string::npos) << copied;
    EXPECT_LT(copied.find("thread i1_i2.o"), copied.find("for i0.o")) << copied;
    EXPECT_EQ(copied.find(kBlocks), std::string::npos) << copied;
    const std::string ahead = lastKernel(smallCaches(), pixels(256, 256, 4, 13));
    EXPECT_EQ(ahead.find(kCopied), std::string::npos) << ahead;
}

// Few panels do not pay a copy, and rows that stay in the first level with a panel need none.
TEST(CopiedRows, mustServeSeveralPanelsAndBeManySteps)
{
    const std::string few = lastKernel(smallCaches(), pixels(256, 48, 7, 7));
    EXPECT_EQ(few.find(kCopied), std::string::npos) << few;
    const std::string near = lastKernel(smallCaches(), pixels(64, 256, 7, 7));
    EXPECT_EQ(near.find(kCopied), std::string::npos) << near;
}

// Panels of 4 MiB do not stay in the core's cache: those of a group do, and groups are what the threads share.
TEST(CopiedRows, serveAGroupOfPanels)
{
    const std::string groups = lastKernel(smallCaches(2), pixels(512, 2048, 7, 7));
    EXPECT_NE(groups.find("panels at a time stay in the core's cache"), std::string::npos) << groups;
    EXPECT_NE(groups.find(kCopied), std::string::npos) << groups;
    EXPECT_NE(groups.find("thread i0.o.o"), std::string::npos) << groups;
    EXPECT_LT(groups.find("for i1_i2.o"), groups.find("for i0.o.i")) << groups;
}

// The panels are the same for all images of a batch, so a group of them serves all; the threads share the groups.
TEST(CopiedRows, groupsServeAllImages)
{
    const std::string loops =
        lastKernel(smallCaches(2), "input x: f32[3, 512, 49]\nparam w: f32[2048, 512] = random(1)\noutput w @ x\n");
    EXPECT_NE(loops.find(kCopied), std::string::npos) << loops;
    EXPECT_LT(loops.find("thread i1.o.o"), loops.find("for i0 in 0..3")) << loops;
    EXPECT_EQ(loops.find("the longest loop outside"), std::string::npos) << loops;
}

// 2048 steps of 49 pixels are 392 KiB: with a panel of 128 KiB more than the cache.
TEST(CopiedRows, areOfABlockWhereTheyLeaveTheCache)
{
    const std::string blocks = lastKernel(smallCaches(), pixels(2048, 512, 7, 7));
    EXPECT_NE(blocks.find(kBlocks), std::string::npos) << blocks;
    EXPECT_NE(blocks.find("all 2048 of a panel and of its rows would not stay in the cache"), std::string::npos) << blocks;
    EXPECT_NE(blocks.find(kCopied), std::string::npos) << blocks;
    DeviceInfo larger = smallCaches();
    test::setCaches(larger, 2 << 20);
    const std::string whole = lastKernel(larger, pixels(2048, 512, 7, 7));
    EXPECT_EQ(whole.find(kBlocks), std::string::npos) << whole;
}

// The rows of an image are loops in a block, also where a row is hardly longer than a tile. A panel of 4608 steps serves all of
// them while a part of it is in the cache.
TEST(CopiedRows, blocksGoThroughAllRowsOfAnImage)
{
    const std::string file = testing::TempDir() + "copied_rows_weights.npy";
    ASSERT_TRUE(writeNpyFile(file, randomTensor(DType::F32, {512, 512, 3, 3}, 1)));
    const std::string text = format("input x: f32[1, 512, 14, 14]\nconst w: f32[512, 512, 3, 3] = load(\"{}\")\n"
                                    "output conv2d(x, w, stride = 2, padding = 1)\n",
                                    file);
    const std::string blocks = lastKernel(smallCaches(), text);
    ASSERT_NE(blocks.find(kBlocks), std::string::npos) << blocks;
    const std::size_t block = blocks.find("reduce r3.o");
    EXPECT_LT(block, blocks.find("for i0.o.i")) << blocks;
    EXPECT_LT(blocks.find("for i0.o.i"), blocks.find("for i1 ")) << blocks;
}

// The kernel that multiplies, of 512 channels by Winograd's algorithm.
std::string productsOf(int size)
{
    const std::string file = testing::TempDir() + format("panels_of_{}.npy", size);
    EXPECT_TRUE(writeNpyFile(file, randomTensor(DType::F32, {512, 512, 3, 3}, 1)));
    const std::string loops =
        test::loopsOn(smallCaches(),
                      format("input x: f32[1, 512, {0}, {0}]\nconst w: f32[512, 512, 3, 3] = load(\"{1}\")\n"
                             "output conv2d(x, w, padding = 1)\n",
                             size, file),
                      {});
    const std::size_t at = loops.rfind("kernel k", loops.find("reduce r3 in 0..512"));
    return loops.substr(at, loops.find("\nkernel k", at) - at);
}

// The partial results of all rows of a batch of images leave room for one panel, or for none, and then there are no blocks.
TEST(CopiedRows, partialResultsOfABatchStayInTheCache)
{
    for (const std::int64_t cache : {512 << 10, 2 << 20}) {
        DeviceInfo device = smallCaches();
        test::setCaches(device, cache);
        device.vectorBytes = 64;
        device.vectorRegisters = 32;
        for (const int images : {16, 24, 32}) {
            const std::string loops =
                lastKernel(device, format("input x: f32[{}, 512, 28, 28]\nparam w: f32[1024, 512, 3, 3] = random(1)\n"
                                          "output conv2d(x, w, stride = 2, padding = 1)\n",
                                          images));
            EXPECT_NE(loops.find("register tile"), std::string::npos) << loops;
        }
    }
}

// Of 32 threads, each has one panel of a block, for which nothing is copied.
TEST(CopiedRows, areNotForOnePanel)
{
    const std::string loops = lastKernel(smallCaches(32), pixels(2048, 512, 7, 7));
    EXPECT_EQ(loops.find(kCopied), std::string::npos) << loops;
}

// Weights of Winograd's algorithm lie in panels of 16, and 16 MiB of them stay in no core's cache. Tiles of whole panels fetch
// the next one ahead, those of 24 columns could not.
TEST(CopiedRows, panelsAreNotCutWhereTheyCome)
{
    const std::string few = productsOf(7);
    EXPECT_NE(few.find("split i1 16  # 6 x 2 register tile"), std::string::npos) << few;
    EXPECT_NE(few.find("stream v0 i1.o"), std::string::npos) << few;
}

// With many rows that hardly counts: tiles of two rows by 32 columns would wait for the second level, which gives a panel of 512
// steps no faster than they have arithmetic for it.
TEST(CopiedRows, tilesHaveArithmeticForTheLinesOfAPanel)
{
    const std::string many = productsOf(28);
    EXPECT_EQ(many.find("# 2 x 4 register tile"), std::string::npos) << many;
}

// The values are those of the reference, and the copy is made in vectors.
TEST(CopiedRows, areReadRight)
{
    const GraphPtr graph = test::graphOfText(pixels(264, 80, 7, 7));
    ASSERT_NE(graph, nullptr);
    const PipelineRun run = runPipeline(graph, standardPipeline(), {smallCaches(2), TargetLanguage::Llvm, {}}, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    LoopProgramPtr loops;
    LoweredProgramPtr lowered;
    for (const PassStep &step : run.steps) {
        if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
            loops = *made;
        if (const auto *made = std::get_if<LoweredProgramPtr>(&step.after))
            lowered = *made;
    }
    ASSERT_NE(toText(*loops).find(kCopied), std::string::npos) << toText(*loops);
    std::vector<HostTensor> inputs;
    for (const NodeId id : graph->placeholders())
        inputs.push_back(randomTensor(graph->node(id).dtype, graph->node(id).shape, 11 + id.value));
    const auto expected = interpretGraph(*graph, inputs);
    const auto actual = test::runLowered(*lowered, inputs);
    ASSERT_TRUE(expected && actual);
    for (std::int64_t i = 0; i < expected->front().elements(); ++i)
        ASSERT_NEAR(expected->front().at(i).asDouble(), actual->front().at(i).asDouble(), 1e-4) << i;
    const std::string text = printLowered(*lowered).text;
    EXPECT_NE(text.find("store f32x4 %packed"), std::string::npos) << text;
}

} // namespace
} // namespace sw
