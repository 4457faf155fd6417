// What a kernel in stages keeps for a block of rows: how many rows, how far apart, and what is copied for them.

#include "tests/golden/kernel_stages.h"

#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "engine/schedule/printer.h"
#include "tests/support/graph_of_text.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace sw::test {
namespace {

// A softmax alone has one kernel, which keeps its exponentials for a few rows, or for a single one; too few rows are no blocks
// for all threads.
TEST_F(KernelStages, keepExponentialsOfASoftmaxAlone)
{
    const auto stagesOf = [&](std::string_view input) {
        ProgramCompiler compiler(m_registry);
        return stagesIn(checkValues(compiler, requestFor(format("input x: {}\noutput softmax(x)\n", input), "llvm")));
    };
    EXPECT_EQ(stagesOf("f32[2053, 509]"), 1U);
    EXPECT_EQ(stagesOf("f32[3, 1100, 131]"), 1U);
    EXPECT_EQ(stagesOf("f16[1500, 260]"), 1U);
    EXPECT_EQ(stagesOf("f32[40, 60000]"), 1U) << "one row at a time";
    EXPECT_EQ(stagesOf("f32[3, 20000]"), 0U) << "too few rows";
}

// A row that the core's cache has no room for is kept in a farther one where that takes less than its exponentials: by the rates
// of the device. One that no work item has room for is computed twice.
TEST_F(KernelStages, keepALongRowInAFartherCache)
{
    const auto opened = OpenedDevice::open(m_registry, "llvm", {});
    ASSERT_TRUE(opened);
    const DeviceInfo &device = (*opened)->info();
    const auto decisionOn = [&](std::int64_t rowBytes, double operationsPerNanosecond) {
        ProgramCompiler compiler(m_registry);
        CompileRequest request =
            requestFor(format("input x: f32[64, {}]\noutput softmax(x)\n", rowBytes / 4), "llvm", CompileUntil::Lowered);
        request.options.figures = {.memoryBytesPerNanosecond = 10, .operationsPerNanosecond = operationsPerNanosecond};
        const Compilation made = compiler.compile(request, {});
        EXPECT_TRUE(made.succeeded) << toText(made.diagnostics);
        const auto kept = std::ranges::find_if(made.schedule->decisions, [](const FusionDecision &one) {
            return one.rule == "stage" && one.reason.starts_with("kept for one row at a time");
        });
        return kept == made.schedule->decisions.end() ? std::string() : std::string(kept->numbers.front().origin);
    };
    const std::int64_t own = device.cacheBytesPerCore / 2;
    const std::int64_t far = device.cacheBytesPerCore;
    if (far > device.scratchBytes / 2)
        GTEST_SKIP() << "no row that a work item may keep leaves a cache of " << far << " bytes";
    EXPECT_EQ(decisionOn(own, 1000), "what a part of the core's cache has room for");
    EXPECT_EQ(decisionOn(far, 40), "a farther cache has it sooner than it is computed again");
    EXPECT_EQ(decisionOn(far, 1000), "");
    EXPECT_EQ(decisionOn(std::int64_t{device.scratchBytes}, 40), "");
}

// Copies of what moves with the rows of a stage alone; none is made again in a loop that what it copies does not move with, other
// than those that the stages share.
std::size_t copiesOfRows(const LoopProgram &loops)
{
    const LoopNest &nest = *loops.nests.front();
    const std::size_t shared = sharedLoopsOf(nest);
    std::size_t found = 0;
    forEachStage(nest, [&](const LoopNest &stage) {
        const std::vector<std::vector<AxisId>> moving = valueDependencies(stage);
        for (const Pack &pack : stage.packs) {
            const std::vector<AxisId> &moved = moving[pack.load.value];
            const bool isOfRowsAlone = std::ranges::all_of(moved, [&](AxisId axis) {
                return stage.axes[axis.value].isReduce ||
                       std::ranges::find(stage.domain, axis) - stage.domain.begin() < static_cast<std::ptrdiff_t>(stage.rowAxes);
            });
            if (!isOfRowsAlone)
                continue;
            ++found;
            const auto at = std::ranges::find(stage.order, pack.at);
            for (auto leaf = stage.order.begin() + static_cast<std::ptrdiff_t>(shared); leaf < at; ++leaf)
                EXPECT_NE(std::ranges::find(moved, unsplitAxis(stage, *leaf)), moved.end()) << toText(loops);
        }
    });
    return found;
}

// Queries are copied once for a block, and not for each tile of its scores: also where a block has as many rows as one tile.
// Where vectors are short and the queries wide, they lie along the queries.
TEST(KeptRows, copyWhatMovesWithTheRowsOnceForABlock)
{
    DeviceInfo device = vectorDevice(2, 16);
    device.vectorRegisters = 16;
    device.firstLevelBytes = 32 << 10;
    setCaches(device, 256 << 10);
    for (const AttentionSize &size : {AttentionSize{1, 64, 4096, 128, 128}, AttentionSize{1, 256, 1024, 128, 128}}) {
        const GraphPtr graph = graphOfText(attentionText(size, ""));
        ASSERT_NE(graph, nullptr);
        const PipelineRun run = runPipeline(graph, standardPipeline(), {device, TargetLanguage::Llvm, {}}, {});
        ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
        LoopProgramPtr loops;
        for (const PassStep &step : run.steps)
            if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
                loops = *made;
        ASSERT_NE(loops, nullptr);
        EXPECT_GT(copiesOfRows(*loops), 0U) << toText(*loops);
    }
}

// However long the rows are: the sums over keys that no cache holds are not shared out among work items of their own.
TEST_F(KernelStages, areChosenForRowsOfAllLengths)
{
    const auto opened = OpenedDevice::open(m_registry, "llvm", {});
    ASSERT_TRUE(opened);
    const std::int64_t cache = (*opened)->info().cacheBytesPerCore;
    std::size_t staged = 0;
    for (const std::uint32_t threads : {1U, 2U})
        for (const std::int64_t keys : {cache / 512, cache / 256 + 16, cache / 160, cache / 128, cache / 100, cache / 64}) {
            SCOPED_TRACE(keys);
            ProgramCompiler compiler(m_registry);
            CompileRequest request = requestFor(attentionText({1, 256, keys, 64, 64}, ""), "llvm", CompileUntil::Lowered);
            request.threads = threads;
            const Compilation made = compiler.compile(request, {});
            ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
            staged += stagesIn(made);
        }
    EXPECT_GT(staged, 6U);
}

// Rows that are a multiple of 2 KiB long would lie in the same few sets of a cache whose ways have 4 KiB: there is a line between
// them.
TEST_F(KernelStages, keepRowsApartThatWouldShareSets)
{
    using Strides = std::vector<std::int64_t>;
    EXPECT_EQ(keptStridesOf(Shape{8, 512, 512}, 2, DType::F32, 4096), (Strides{512 * 528, 528, 1}));
    EXPECT_EQ(keptStridesOf(Shape{8, 500, 500}, 2, DType::F32, 4096), (Strides{500 * 500, 500, 1}));
    EXPECT_EQ(keptStridesOf(Shape{8, 512, 256}, 2, DType::F32, 4096), (Strides{512 * 256, 256, 1}));
    EXPECT_EQ(keptStridesOf(Shape{8, 256}, 1, DType::F64, 4096), (Strides{264, 1}));
    EXPECT_EQ(keptStridesOf(Shape{4, 2, 8, 128}, 1, DType::F16, 4096), (Strides{2080, 1024, 128, 1}));
    EXPECT_EQ(keptStridesOf(Shape{8, 512, 512}, 2, DType::F32, 8192), (Strides{512 * 512, 512, 1}));
    EXPECT_EQ(keptStridesOf(Shape{8, 1024, 1024}, 2, DType::F32, 8192), (Strides{1024 * 1040, 1040, 1}));
    EXPECT_EQ(keptStridesOf(Shape{7, 4, 4, 64, 112}, 1, DType::F32, 4096), (Strides{114944, 28736, 7184, 112, 1}));
    EXPECT_EQ(keptStridesOf(Shape{7, 2, 4, 64, 112}, 1, DType::F32, 4096), (Strides{57360, 28672, 7168, 112, 1})); // 8 parts
    EXPECT_EQ(keptStridesOf(Shape{8, 16, 512}, 1, DType::F32, 4096), (Strides{8208, 512, 1})); // of half a way
    ProgramCompiler compiler(m_registry);
    const Compilation made = checkValues(compiler, requestFor("input x: f32[1024, 1024]\noutput softmax(x)\n", "llvm"));
    ASSERT_EQ(stagesIn(made), 1U) << printSchedule(*made.schedule).text;
    const auto opened = OpenedDevice::open(m_registry, "llvm", {});
    ASSERT_TRUE(opened);
    const std::int64_t row = keptStridesOf(Shape{1024, 1024}, 1, DType::F32, wayBytesOf((*opened)->info())).front();
    EXPECT_NE(toText(*made.loops).find(format("store kept0[s0_i0*{} + s0_i1]", row)), std::string::npos) << toText(*made.loops);
}

// A stage keeps the exponentials of rows of 16 parts, which others read part by part, or as one row.
TEST_F(KernelStages, keepPartsOfRowsApartWhoeverReadsThem)
{
    const auto opened = OpenedDevice::open(m_registry, "llvm", {});
    ASSERT_TRUE(opened);
    const std::vector<std::int64_t> strides = keptStridesOf(Shape{80, 16, 1024}, 1, DType::F32, wayBytesOf((*opened)->info()));
    const std::string exponentials = "input x: f32[80, 16, 1024]\n"
                                     "e = exp(x - max(x, axis = [1, 2], keepdims = true))\n";
    for (const char *rest : {"output e / sum(e, axis = [1, 2], keepdims = true)\n",
                             "rows = e.reshape([80, 16384])\noutput rows / sum(rows, axis = 1, keepdims = true)\n",
                             "output e[:, :, 1:] / sum(e[:, 3:, 7:1001], axis = [1, 2], keepdims = true)\n"}) {
        const std::string loops = checkedLoopsOf(exponentials + rest, "llvm");
        const std::string stored = format("store kept0[s0_i0*{} + s0_i1*{} + s0_i2]", strides[0], strides[1]);
        EXPECT_NE(loops.find(stored), std::string::npos) << loops;
    }
}

} // namespace
} // namespace sw::test
