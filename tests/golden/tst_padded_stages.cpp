// Padded images as stages: where windows go channel by channel, a work item pads one channel, and goes on with it.

#include "tests/golden/kernel_stages.h"

#include "engine/api/explanation.h"
#include "engine/loops/stages.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace sw::test {
namespace {

class PaddedStages : public KernelStages {
protected:
    [[nodiscard]] CompileRequest requestFor(const std::string &text, const std::string &device,
                                            CompileUntil until = CompileUntil::Machine) const
    {
        CompileRequest request = KernelStages::requestFor(text, device, until);
        request.threads = 2;
        return request;
    }
};

class PaddedStagesOn : public PaddedStages, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override
    {
        if (const std::string reason = whyNoProcessor(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }
};

struct Windows {
    const char *name;
    const char *text;
};

constexpr Windows kWindows[] = {
    {"odd sizes", "input x: f32[1, 9, 13, 37]\nparam w: f32[9, 1, 3, 3] = random(2)\n"
                  "output conv2d(x, w, padding = 1, groups = 9)\n"},
    {"several images, strides that differ, an epilogue",
     "input x: f32[3, 4, 11, 70]\nparam w: f32[4, 1, 3, 5] = random(2)\nparam b: f32[4] = random(3)\n"
     "output relu(conv2d(x, w, bias = b, stride = [1, 2], padding = [1, 2], groups = 4))\n"},
    {"dilation and stride", "input x: f32[1, 8, 31, 33]\nparam w: f32[8, 1, 3, 3] = random(2)\n"
                            "output conv2d(x, w, stride = 2, padding = 2, dilation = 2, groups = 8)\n"},
    {"stride of 3", "input x: f32[1, 8, 40, 61]\nparam w: f32[8, 1, 5, 5] = random(2)\n"
                    "output conv2d(x, w, stride = 3, padding = 2, groups = 8)\n"},
    {"sides padded differently", "input x: f32[1, 8, 15, 18]\nparam w: f32[8, 1, 3, 3] = random(2)\n"
                                 "output conv2d(pad(x, [[0, 0], [0, 0], [2, 0], [0, 3]]), w, groups = 8)\n"},
    {"padded with another value", "input x: f32[1, 8, 15, 18]\nparam w: f32[8, 1, 3, 3] = random(2)\n"
                                  "output conv2d(pad(x, [[0, 0], [0, 0], [1, 1], [1, 1]], 2.5), w, groups = 8)\n"},
    {"what is computed before", "input x: f32[1, 8, 15, 18]\nparam w: f32[8, 1, 3, 3] = random(2)\n"
                                "output conv2d(relu(x * 2 + 1), w, padding = 1, groups = 8)\n"},
    {"a maximum", "input x: f32[2, 5, 23, 41]\noutput max_pool2d(x, 3, stride = 2, padding = 1)\n"},
    {"a mean", "input x: f32[1, 12, 9, 20]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n"},
    {"f64", "input x: f64[1, 8, 12, 19]\noutput max_pool2d(x, 3, stride = 2, padding = 1)\n"},
    {"whole numbers", "input x: i32[1, 8, 12, 19]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n"},
    {"not a number and infinite", "input x: f32[1, 8, 12, 19]\nparam w: f32[8, 1, 3, 3] = random(2)\n"
                                  "output conv2d(log(x), 1 / floor(w * 2), padding = 1, groups = 8)\n"},
    {"one row of windows", "input x: f32[1, 16, 3, 50]\nparam w: f32[16, 1, 3, 3] = random(2)\n"
                           "output conv2d(x, w, padding = [0, 1], groups = 16)\n"},
};

TEST_P(PaddedStagesOn, areTheReference)
{
    for (const Windows &windows : kWindows) {
        SCOPED_TRACE(windows.name);
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, requestFor(windows.text, GetParam()));
        ASSERT_TRUE(made.succeeded);
        EXPECT_EQ(stagesIn(made), 1U) << printSchedule(*made.schedule).text;
        for (const ScheduledKernel &kernel : made.schedule->kernels)
            EXPECT_NE(made.schedule->graph->node(kernel.root).kind, NodeKind::Pad) << printSchedule(*made.schedule).text;
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, PaddedStagesOn, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

const char *const kByChannel = "input x: f32[1, 128, 56, 56]\nparam w: f32[128, 1, 3, 3] = random(2)\n"
                               "output conv2d(x, w, padding = 1, groups = 128)\n";

TEST_F(PaddedStages, keepOneChannelAndTellWhatItSaves)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor(kByChannel, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const auto decision = std::ranges::find(made.schedule->decisions, "stage", &FusionDecision::rule);
    ASSERT_NE(decision, made.schedule->decisions.end()) << printSchedule(*made.schedule).text;
    EXPECT_TRUE(decision->isFused);
    EXPECT_EQ(decision->bytesSaved, 2 * 128 * 58 * 58 * 4);
    EXPECT_EQ(decision->reason, format("saves {} bytes of traffic: a work item keeps {} bytes for one row at a time, and goes on "
                                       "with it",
                                       2 * 128 * 58 * 58 * 4, 58 * 58 * 4));
    EXPECT_EQ(made.schedule->devices.front().arenaBytes, 2 * 128 * 56 * 56 * 4 + 128 * 9 * 4) << "no padded image";
    const LoopNest &nest = *made.loops->nests.front();
    ASSERT_EQ(nest.stages.size(), 1U);
    EXPECT_EQ(keptElementsOf(nest.stages.front(), sharedLoopsOf(nest)), 58 * 58) << toText(*made.loops);
}

// A channel of 64 x 64 with its border is a multiple of 2 KiB, so there is a line between channels. The rows of its windows are
// found all the same, and shared.
TEST_F(PaddedStages, shareRowsOfChannelsThatLieALineApart)
{
    const auto opened = OpenedDevice::open(m_registry, "llvm", {});
    ASSERT_TRUE(opened);
    const std::int64_t channel = keptStridesOf(Shape{128, 64, 64}, 1, DType::F32, wayBytesOf((*opened)->info())).front();
    EXPECT_GT(channel, 64 * 64);
    const std::string loops = checkedLoopsOf("input x: f32[1, 128, 62, 62]\nparam w: f32[128, 1, 3, 3] = random(2)\n"
                                             "output conv2d(x, w, padding = 1, groups = 128)\n",
                                             "llvm");
    EXPECT_NE(loops.find(format("store kept0[s0_i0*{} + s0_i1*64 + s0_i2]", channel)), std::string::npos) << loops;
    EXPECT_NE(loops.find("neighbouring rows of the tile read the same vectors"), std::string::npos) << loops;
}

// Code is fetched once for all channels of a thread, so a large tile is worth its code though one channel is small.
TEST_F(PaddedStages, haveTheTileOfAllChannels)
{
    ProgramCompiler compiler(m_registry);
    const Compilation together = compiler.compile(requestFor(kByChannel, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(together.succeeded) << toText(together.diagnostics);
    CompileRequest request = requestFor(kByChannel, "llvm", CompileUntil::Lowered);
    const auto decision = std::ranges::find(together.schedule->decisions, "stage", &FusionDecision::rule);
    ASSERT_NE(decision, together.schedule->decisions.end());
    request.options.overrides.items = {oppositeOf(*decision, ValuePaths(*together.schedule->graph))};
    const Compilation apart = compiler.compile(request, {});
    ASSERT_TRUE(apart.succeeded) << toText(apart.diagnostics);
    ASSERT_EQ(apart.schedule->kernels.size(), 2U);
    const auto accumulators = [](const LoopNest &nest) {
        std::int64_t count = 1;
        for (const AxisId leaf : nest.order)
            if (nest.axes[leaf.value].type == AxisType::Upcast)
                count *= nest.axes[leaf.value].extent;
        return count;
    };
    EXPECT_EQ(accumulators(*together.loops->nests.front()), accumulators(*apart.loops->nests.back())) << toText(*together.loops);
}

// Each stage has loops of its own, so no sum is added up in another order than in kernels of their own.
TEST_F(PaddedStages, giveTheSameBitsAsKernelsOfTheirOwn)
{
    for (const Windows &windows : kWindows) {
        SCOPED_TRACE(windows.name);
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestFor(windows.text, "llvm");
        request.options.strict = true;
        const Compilation whole = compiler.compile(request, {});
        ASSERT_TRUE(whole.succeeded) << toText(whole.diagnostics);
        const auto together = run(compiler, request, {}, 5);
        ASSERT_TRUE(together) << toText(together.error());
        const auto decision = std::ranges::find(whole.schedule->decisions, "stage", &FusionDecision::rule);
        ASSERT_NE(decision, whole.schedule->decisions.end());
        request.options.overrides.items = {oppositeOf(*decision, ValuePaths(*whole.schedule->graph))};
        const auto apart = run(compiler, request, {}, 5);
        ASSERT_TRUE(apart) << toText(apart.error());
        EXPECT_EQ(stagesIn(compiler.compile(request, {})), 0U);
        const HostTensor &got = together->outputs.front().value;
        for (std::int64_t i = 0; i < got.elements(); ++i) {
            const Scalar wanted = apart->outputs.front().value.at(i);
            ASSERT_TRUE(got.at(i) == wanted || (std::isnan(wanted.asDouble()) && std::isnan(got.at(i).asDouble())))
                << "element " << i;
        }
    }
}

TEST_F(PaddedStages, areNotChosenWhereTheyCostMore)
{
    struct Case {
        const char *text;
        const char *reason;
    };
    constexpr Case kCases[] = {
        {"input x: f32[1, 3, 40, 40]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n",
         "3 blocks of rows are too few for 2 threads"},
        {"input x: f32[1, 8, 700, 700]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n",
         "bytes for each row are too many for a block of one row"},
    };
    for (const auto &[text, reason] : kCases) {
        ProgramCompiler compiler(m_registry);
        const Compilation made = compiler.compile(requestFor(text, "llvm", CompileUntil::Lowered), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        EXPECT_EQ(stagesIn(made), 0U);
        EXPECT_TRUE(std::ranges::any_of(made.schedule->decisions, [&](const FusionDecision &one) {
            return one.rule == "stored-view" && one.reason.find(reason) != std::string::npos;
        })) << printSchedule(*made.schedule).text;
    }
}

TEST_F(PaddedStages, areMadeByAnOverride)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("input x: f32[1, 3, 40, 40]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n", "llvm");
    const Compilation plain = compiler.compile(request, {});
    ASSERT_TRUE(plain.succeeded) << toText(plain.diagnostics);
    const auto padded = std::ranges::find(plain.schedule->decisions, "stored-view", &FusionDecision::rule);
    ASSERT_NE(padded, plain.schedule->decisions.end());
    request.options.overrides.items = {oppositeOf(*padded, ValuePaths(*plain.schedule->graph))};
    const Compilation made = checkValues(compiler, request);
    ASSERT_TRUE(made.succeeded);
    EXPECT_EQ(stagesIn(made), 1U) << printSchedule(*made.schedule).text;
    EXPECT_EQ(made.schedule->overrides.front().state, OverrideState::Applied) << made.schedule->overrides.front().reason;
}

// Every output of a convolution reads all channels, so there are no rows.
TEST_F(PaddedStages, needWindowsOfOneChannel)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor("input x: f32[1, 16, 28, 28]\nparam w: f32[16, 16, 3, 3] = random(1)\n"
                                                         "output conv2d(x, w, padding = 1)\n",
                                                         "llvm", CompileUntil::Lowered),
                                              {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_EQ(stagesIn(made), 0U);
    EXPECT_EQ(made.schedule->kernels.size(), 3U) << "panels of the weights, the padded image, the convolution";
}

// A window of 3 x 3 that moves by 2 reads each element of a small image 1.7 times: it is padded, so that no load has conditions.
TEST_F(PaddedStages, padWhatIsReadAFewTimes)
{
    const std::string text = "input x: f32[1, 64, 14, 14]\nparam w: f32[64, 1, 3, 3] = random(1)\n"
                             "output conv2d(x, w, stride = 2, padding = 1, groups = 64)\n";
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor(text, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_EQ(stagesIn(made), 1U) << printSchedule(*made.schedule).text;
    for (const Value &value : made.loops->nests.front()->values)
        EXPECT_TRUE(value.conditions.empty()) << toText(*made.loops);
}

TEST_F(PaddedStages, areLeftToOneThreadWhereTheyAreSmall)
{
    ProgramCompiler compiler(m_registry);
    const std::string text = "input x: f32[1, 16, 7, 7]\nparam w: f32[16, 1, 3, 3] = random(1)\n"
                             "output conv2d(x, w, padding = 1, groups = 16)\n";
    const Compilation made = compiler.compile(requestFor(text, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_EQ(stagesIn(made), 1U);
    EXPECT_TRUE(std::ranges::none_of(made.loops->nests.front()->axes, [](const Axis &axis) {
        return axis.type == AxisType::Thread;
    })) << toText(*made.loops);
}

} // namespace
} // namespace sw::test
