// Kernels in stages: a product, a softmax of its rows and a second product in one kernel, whose memory grows with the rows and
// not with their square.

#include "tests/golden/kernel_stages.h"

#include "engine/api/explanation.h"
#include "engine/api/kernel_variant.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/printer.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace sw::test {
namespace {

class KernelStagesOn : public KernelsOnProcessors {};

// Odd sizes, rows shorter than a vector, causal, with a mask that leaves some rows nothing to look at; the scores are larger than
// the cache.
TEST_P(KernelStagesOn, areTheReference)
{
    struct Case {
        AttentionSize size;
        std::string_view options;
    };
    std::vector<Case> cases{{{3, 311, 307, 5, 19}, ""},
                            {{2, 401, 401, 8, 16}, ", causal = true"},
                            {{2, 30011, 5, 4, 7}, ", mask = m"},
                            {{1, 523, 601, 3, 33}, ", mask = m, causal = true"}};
    std::mt19937 random(20);
    const auto upTo = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    for (int round = 0; round < 2; ++round) {
        AttentionSize size{upTo(4), 150 + upTo(300), 0, upTo(9), upTo(40)};
        size.keys = 270000 / (size.heads * size.queries) + upTo(50);
        cases.push_back({size, round % 2 == 0 ? "" : ", mask = m"});
    }
    if (GetParam() != std::string_view("llvm"))
        cases.resize(GetParam() == std::string_view("interpreter") ? 1 : 2);
    for (Case &one : cases) {
        one.size.heads *= cacheFactor(GetParam());
        const std::string text = attentionText(one.size, one.options);
        SCOPED_TRACE(text);
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, requestFor(text, GetParam()));
        ASSERT_TRUE(made.succeeded);
        EXPECT_EQ(made.schedule->kernels.size(), 1U) << printSchedule(*made.schedule).text;
        EXPECT_GE(stagesIn(made), 2U);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, KernelStagesOn, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

// What is not given by hand: the scores leave the cache, so the rules choose stages, and the arena grows with the rows alone. In
// strict mode rows stay whole; of the last ones a core's cache does not hold eight.
TEST_F(KernelStages, keepTheArenaLinearInTheRows)
{
    for (const std::int64_t rows : {1024, 2048, 16384, 65536}) {
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestFor(attentionText({8, rows, rows, 64, 64}, ""), "llvm", CompileUntil::Lowered);
        request.options.strict = true;
        const Compilation made = compiler.compile(request, {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        ASSERT_EQ(made.schedule->kernels.size(), 1U) << printSchedule(*made.schedule).text;
        EXPECT_EQ(made.schedule->kernels.front().stages.size(), 3U) << "scores, exponentials, weights";
        EXPECT_EQ(made.schedule->kernels.front().rowAxes, 2U);
        EXPECT_EQ(made.schedule->devices.front().arenaBytes, 4 * 8 * rows * 64 * 4) << "three inputs and the output";
    }
}

TEST_F(KernelStages, tellWhatTheySaveAndWhy)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made =
        compiler.compile(requestFor(attentionText({16, 1024, 512, 64, 64}, ""), "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(made.succeeded);
    std::size_t found = 0;
    std::size_t again = 0;
    for (const FusionDecision &decision : made.schedule->decisions) {
        if (decision.rule != "stage")
            continue;
        EXPECT_TRUE(decision.isFused);
        if (decision.reason.find("kept for") == 0) {
            ++again;
            continue;
        }
        ++found;
        EXPECT_EQ(decision.bytesSaved, 2 * 16 * 1024 * 512 * 4);
        EXPECT_NE(decision.reason.find("rows at a time"), std::string::npos) << decision.reason;
        const auto &kept = decision.numbers.at(2);
        EXPECT_EQ(kept.name, "kept for a block");
        EXPECT_LE(kept.value, (1 << 20) / 2.0);
    }
    EXPECT_EQ(found, 3U) << "the scores have two readers, the weights have one";
    EXPECT_EQ(again, 2U) << "the exponentials are read by the sum and by the quotient";
}

// An edge that is a stage border can be divided by hand.
TEST_F(KernelStages, areDividedByAnOverride)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(attentionText({8, 512, 512, 64, 64}, ""), "llvm", CompileUntil::Lowered);
    const Compilation whole = compiler.compile(request, {});
    ASSERT_TRUE(whole.succeeded);
    ASSERT_EQ(stagesIn(whole), 3U) << printSchedule(*whole.schedule).text;
    const auto weights = std::ranges::find_if(whole.schedule->decisions, [&](const FusionDecision &one) {
        return one.rule == "stage" && one.producer == whole.schedule->kernels.front().stages.back();
    });
    ASSERT_NE(weights, whole.schedule->decisions.end());
    request.options.overrides.items = {oppositeOf(*weights, ValuePaths(*whole.schedule->graph))};
    const Compilation divided = compiler.compile(request, {});
    ASSERT_TRUE(divided.succeeded);
    EXPECT_EQ(divided.schedule->kernels.size(), 2U) << printSchedule(*divided.schedule).text;
    EXPECT_EQ(divided.schedule->overrides.front().state, OverrideState::Applied);
}

// The values of a small problem stay in the cache anyway; large weights would be read again by every block.
TEST_F(KernelStages, areNotChosenWhereTheySaveNothing)
{
    ProgramCompiler compiler(m_registry);
    const Compilation small =
        compiler.compile(requestFor(attentionText({2, 64, 64, 16, 16}, ""), "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(small.succeeded);
    EXPECT_EQ(stagesIn(small), 0U);
    const std::string layers = "input x: f32[2048, 512]\ninput w1: f32[512, 2048]\ninput w2: f32[2048, 512]\n"
                               "output relu(x @ w1) @ w2\n";
    const Compilation large = compiler.compile(requestFor(layers, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(large.succeeded);
    EXPECT_EQ(stagesIn(large), 0U);
    EXPECT_TRUE(std::ranges::any_of(large.schedule->decisions, [](const FusionDecision &one) {
        return one.reason.find("rows would read the same 8388608 bytes again") != std::string::npos;
    })) << printSchedule(*large.schedule).text;
}

// Beginnings of the list of transformations give the same values up to the order of sums: each is legal by itself or is refused
// with a reason, and can be stepped through.
TEST_F(KernelStages, keepTheValuesAtEveryStepOfTheirTransformations)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(attentionText({2 * cacheFactor("llvm"), 401, 403, 8, 20}, ", causal = true"), "llvm");
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded);
    const auto whole = run(compiler, request, {}, 5);
    ASSERT_TRUE(whole) << toText(whole.error());
    ASSERT_EQ(made.loops->nests.size(), 1U) << printSchedule(*made.schedule).text;
    const LoopNest &nest = *made.loops->nests.front();
    ASSERT_FALSE(nest.stages.empty());
    EXPECT_GT(sharedLoopsOf(nest), 0U);
    std::size_t legal = 0;
    for (std::size_t count = 0; count <= nest.transforms.size(); count += 4) {
        SCOPED_TRACE(count);
        Override loops = loopsOf(nest, *made.schedule, ValuePaths(*made.schedule->graph));
        loops.transforms.resize(count);
        request.options.overrides.items = {loops};
        const Compilation part = compiler.compile(request, {});
        ASSERT_TRUE(part.succeeded) << toText(part.diagnostics);
        legal += part.loops->overrides.back().state == OverrideState::Refused ? 0 : 1;
        const auto values = run(compiler, request, {}, 5);
        ASSERT_TRUE(values) << toText(values.error());
        for (std::int64_t i = 0; i < whole->outputs.front().value.elements(); ++i)
            ASSERT_NEAR(whole->outputs.front().value.at(i).asDouble(), values->outputs.front().value.at(i).asDouble(), 1e-5);
    }
    EXPECT_GT(legal, 3U);
}

// No sum is added up in another order than in kernels of their own, so strict mode has stages too.
TEST_F(KernelStages, keepTheOrderOfSumsInStrictMode)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(attentionText({2 * cacheFactor("llvm"), 400, 401, 8, 16}, ""), "llvm");
    request.options.strict = true;
    const Compilation whole = compiler.compile(request, {});
    ASSERT_TRUE(whole.succeeded);
    ASSERT_EQ(stagesIn(whole), 3U) << printSchedule(*whole.schedule).text;
    const auto together = run(compiler, request, {}, 5);
    const ValuePaths paths(*whole.schedule->graph);
    for (const FusionDecision &decision : whole.schedule->decisions)
        if (decision.rule == "stage")
            request.options.overrides.items.push_back(oppositeOf(decision, paths));
    ASSERT_EQ(stagesIn(compiler.compile(request, {})), 0U);
    const auto apart = run(compiler, request, {}, 5);
    ASSERT_TRUE(apart) << toText(apart.error());
    ASSERT_TRUE(together) << toText(together.error());
    for (std::int64_t i = 0; i < apart->outputs.front().value.elements(); ++i)
        ASSERT_EQ(apart->outputs.front().value.at(i), together->outputs.front().value.at(i)) << "element " << i;
}

// An image that a stage computes for a mean is one axis, whose ends leave fewer tiles unfilled than those of its rows; the axes
// of the rows of stages stay.
TEST_F(KernelStages, mergeAxesInsideOfTheirRows)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(format("input x: f32[1, 16, 13, 13]\nparam w: f32[{}, 16, 1, 1]\n"
                                               "output mean(relu(conv2d(x, w)), axis = [2, 3])\n",
                                               2000 * cacheFactor("llvm")),
                                        "llvm");
    const Compilation made = checkValues(compiler, request);
    ASSERT_TRUE(made.succeeded);
    const auto nest = std::ranges::find_if(made.loops->nests, [](const auto &one) { return !one->stages.empty(); });
    ASSERT_NE(nest, made.loops->nests.end()) << printSchedule(*made.schedule).text;
    EXPECT_EQ(toText((*nest)->transforms.at(0)), "merge s0_i1 s0_i2");
    EXPECT_EQ(toText((*nest)->transforms.at(1)), "merge r1 r2");
    const LoopNest &stage = (*nest)->stages.front();
    ASSERT_EQ(stage.domain.size(), 2U);
    EXPECT_EQ(stage.axes[stage.domain.back().value].name, "s0_i1_i2");
    EXPECT_EQ(stage.axes[stage.domain.back().value].extent, 169);
    Override loops = loopsOf(**nest, *made.schedule, ValuePaths(*made.schedule->graph));
    loops.transforms.resize(2); // the merges
    loops.transforms.push_back({.kind = TransformKind::Merge, .axes = {"s0_i0", "s0_i1_i2"}});
    request.options.overrides.items = {loops};
    const Compilation refused = compiler.compile(request, {});
    ASSERT_TRUE(refused.succeeded) << toText(refused.diagnostics);
    EXPECT_EQ(refused.loops->overrides.back().state, OverrideState::Refused);
    EXPECT_NE(refused.loops->overrides.back().reason.find("are axes of their own"), std::string::npos)
        << refused.loops->overrides.back().reason;
}

// A stage goes through a block in the order that its panels want, also where a block has few panels: the threads share the
// blocks.
TEST_F(KernelStages, areNotReorderedForThreads)
{
    ProgramCompiler compiler(m_registry);
    const std::string text = format("input x: f32[1, 512, 13, 13]\nparam w: f32[{}, 512, 1, 1]\n"
                                    "output mean(relu(conv2d(x, w)), axis = [2, 3])\n",
                                    2000 * cacheFactor("llvm"));
    const Compilation made = compiler.compile(requestFor(text, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    ASSERT_GT(stagesIn(made), 0U) << printSchedule(*made.schedule).text;
    for (const auto &nest : made.loops->nests)
        for (const Transform &transform : nest->transforms)
            if (!nest->stages.empty() && transform.kind == TransformKind::Reorder) {
                EXPECT_EQ(transform.reason.find("threads"), std::string::npos) << transform.reason;
            }
}

// Room behind what a stage keeps: the lanes of a masked vector that have no index are read, too, which is cheaper than a mask.
TEST_F(KernelStages, readWhatIsKeptInWholeVectors)
{
    struct Case {
        const char *device;
        std::string text;
        std::string load;
    };
    // Integers may be indices, which would be looked at in lanes that do not exist.
    const std::string integers = "input q: i32[2, 37, 8]\ninput k: i32[2, 8, 45]\ninput v: i32[2, 45, 20]\ns = q @ k\n"
                                 "output (s - max(s, axis = -1, keepdims = true)) @ v\n";
    for (const Case &each : {Case{"interpreter", attentionText({2, 37, 45, 8, 20}, ""), "= load f32x8 %kept"},
                             Case{"llvm", attentionText({2, 37, 45, 8, 20}, ""), "= load f32x8 %kept"},
                             Case{"llvm", integers, "= masked_load i32x8 %kept"}}) {
        SCOPED_TRACE(std::string(each.device) + ": " + each.load);
        ProgramCompiler compiler(m_registry);
        CompileRequest request = requestFor(each.text, each.device);
        const Compilation plain = compiler.compile(request, {});
        ASSERT_TRUE(plain.succeeded);
        const auto scores = std::ranges::find(plain.schedule->decisions, "reduction-into-reduction", &FusionDecision::rule);
        ASSERT_NE(scores, plain.schedule->decisions.end());
        request.options.overrides.items = {oppositeOf(*scores, ValuePaths(*plain.schedule->graph))};
        const Compilation staged = compiler.compile(request, {});
        ASSERT_TRUE(staged.succeeded);
        const auto nest = std::ranges::find_if(staged.loops->nests, [](const auto &one) { return !one->stages.empty(); });
        ASSERT_NE(nest, staged.loops->nests.end()) << toText(*staged.loops);
        // Another stage reads a row of 45 scores, in vectors of 8.
        Override loops = loopsOf(**nest, *staged.schedule, ValuePaths(*staged.schedule->graph));
        const LoopNest &reader = (*nest)->stages.size() > 1 ? (*nest)->stages[1] : **nest;
        const std::string columns = reader.axes[reader.domain.back().value].name;
        loops.transforms = {
            {.kind = TransformKind::Split, .axes = {columns}, .factor = 8},
            {.kind = TransformKind::SetType, .axes = {columns + ".i"}, .type = AxisType::Vector},
            {.kind = TransformKind::Mask, .axes = {columns + ".i"}},
        };
        request.options.overrides.items.push_back(loops);
        const Compilation masked = checkValues(compiler, request);
        ASSERT_TRUE(masked.succeeded) << toText(masked.diagnostics);
        ASSERT_EQ(masked.loops->overrides.back().state, OverrideState::Applied) << masked.loops->overrides.back().reason;
        const std::string text = printLowered(*masked.lowered).text;
        EXPECT_NE(text.find(each.load), std::string::npos) << text;
        EXPECT_EQ(text.find("= masked_load f32x8 %kept"), std::string::npos) << text;
    }
}

// A small value that would stay in the cache becomes a stage where an override asks for it.
TEST_F(KernelStages, areMadeByAnOverride)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(attentionText({2, 37, 45, 8, 20}, ""), "llvm");
    const Compilation plain = compiler.compile(request, {});
    ASSERT_TRUE(plain.succeeded);
    ASSERT_EQ(stagesIn(plain), 0U);
    const auto scores = std::ranges::find(plain.schedule->decisions, "reduction-into-reduction", &FusionDecision::rule);
    ASSERT_NE(scores, plain.schedule->decisions.end());
    request.options.overrides.items = {oppositeOf(*scores, ValuePaths(*plain.schedule->graph))};
    const Compilation made = checkValues(compiler, request);
    ASSERT_TRUE(made.succeeded);
    EXPECT_GE(stagesIn(made), 1U) << printSchedule(*made.schedule).text;
    EXPECT_EQ(made.schedule->overrides.front().state, OverrideState::Applied) << made.schedule->overrides.front().reason;
}

// Each work item computes the stages before the last one as a whole: in a part of their steps, sums would be wrong.
TEST_F(KernelStages, shareNoStepsInAGroupButThoseOfTheLastOne)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(attentionText({2, 37, 45, 8, 20}, ""), "llvm");
    const Compilation apart = compiler.compile(request, {});
    ASSERT_TRUE(apart.succeeded);
    const auto scores = std::ranges::find(apart.schedule->decisions, "reduction-into-reduction", &FusionDecision::rule);
    ASSERT_NE(scores, apart.schedule->decisions.end());
    request.options.overrides.items = {oppositeOf(*scores, ValuePaths(*apart.schedule->graph))};
    const Compilation staged = compiler.compile(request, {});
    ASSERT_TRUE(staged.succeeded);
    const auto nest = std::ranges::find_if(staged.loops->nests, [](const auto &one) { return !one->stages.empty(); });
    ASSERT_NE(nest, staged.loops->nests.end());
    const LoopNest &plain = *plainNest(staged, (*nest)->kernel);
    const auto stage = std::ranges::find_if(plain.stages, [](const LoopNest &one) { return !one.reductions.empty(); });
    ASSERT_NE(stage, plain.stages.end());
    const std::string steps = stage->axes[stage->reductions.front().order.front().value].name;
    Override loops = loopsOf(plain, *staged.schedule, ValuePaths(*staged.schedule->graph));
    loops.transforms.push_back({.kind = TransformKind::SetType, .axes = {steps}, .type = AxisType::Local});
    request.options.overrides.items.push_back(loops);
    const Compilation refused = checkValues(compiler, request);
    ASSERT_TRUE(refused.succeeded) << toText(refused.diagnostics);
    const OverrideOutcome &outcome = refused.loops->overrides.back();
    EXPECT_EQ(outcome.state, OverrideState::Refused);
    EXPECT_NE(outcome.reason.find("the steps of a kernel's last stage alone"), std::string::npos) << outcome.reason;
}

} // namespace
} // namespace sw::test
