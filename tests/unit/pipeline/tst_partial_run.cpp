#include "engine/api/compilation.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/loops/printer.h"
#include "engine/lowered/printer.h"
#include "engine/passes/loops/nest_structure.h"
#include "engine/pipeline/partial_run.h"
#include "tests/support/layered_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sw {
namespace {

// Two kernels share a body, the third has its own.
constexpr const char *kProgram = "input x: f32[8, 48]\ninput y: f32[8, 48]\ninput z: f32[7]\n"
                                 "output a = softmax(x, axis = -1)\noutput b = softmax(y, axis = -1)\noutput c = exp(z) * 2.0\n";

// Kernels [16, 8, 5, 5] as a constant: all are 0.5, but the last.
std::string kernelsText(std::string_view last)
{
    const auto nested = [](std::size_t count, const std::string &inside) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += (i == 0 ? "" : ", ") + inside;
        return "[" + text + "]";
    };
    std::string text = nested(16, nested(8, nested(5, nested(5, "0.5"))));
    return text.replace(text.rfind("0.5"), 3, last);
}

class PartialRun : public testing::Test {
protected:
    PartialRun()
    {
        addNativeBackends(m_registry);
        m_compilation = compiled(kProgram);
    }

    [[nodiscard]] Compilation compiled(const std::string &text) const
    {
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = text;
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        return ProgramCompiler(m_registry).compile(request, {});
    }

    static std::string textOf(const Stage &stage)
    {
        if (const auto *loops = std::get_if<LoopProgramPtr>(&stage))
            return toText(**loops);
        const auto *lowered = std::get_if<LoweredProgramPtr>(&stage);
        return lowered == nullptr ? std::string() : printLowered(**lowered, PrintOrigins::Shown).text;
    }

    BackendRegistry m_registry;
    Compilation m_compilation;
};

TEST_F(PartialRun, givesTheStageOfTheWholePassStopped)
{
    ASSERT_TRUE(m_compilation.succeeded) << toText(m_compilation.diagnostics);
    ASSERT_LT(m_compilation.lowered->kernels.bodies().size(), m_compilation.lowered->kernels.size());
    std::mt19937 random(5);
    for (const PassStep &step : m_compilation.pipeline.steps) {
        if (levelOf(step.after) < StageLevel::Loops || step.rewrites.empty())
            continue;
        for (int i = 0; i < 25; ++i) {
            const auto done = static_cast<std::uint32_t>(random() % (step.rewrites.size() + 1));
            EXPECT_EQ(textOf(stageBetween(step, m_compilation.target, done, {})),
                      textOf(runPass(step.before, *step.pass, m_compilation.target, {}, done).after))
                << step.pass->id << " after " << done << " of " << step.rewrites.size();
        }
    }
}

// A pass that may do all of its rewrites chooses once for nests that are alike; one that may not goes from nest to nest.
TEST_F(PartialRun, choosesForNestsThatAreAlikeWhatItWouldForEach)
{
    const auto convolution = [](std::string_view name, std::string_view last) {
        return format(
            "input x_{0}: f32[1, 8, 7, 7]\nconst k_{0}: f32[16, 8, 5, 5] = {1}\noutput y_{0} = conv2d(x_{0}, k_{0}, padding "
            "= 2)\n",
            name, kernelsText(last));
    };
    // Padding may be left out of sums with the first and the third, not with the second.
    const std::string convolutions = convolution("a", "0.25") + convolution("b", "inf") + convolution("c", "0.75");
    // Kernels that differ in their device alone: one of the two has no vectors.
    const std::string devices = "input a: f32[64, 64]\noutput exp(shard(a, [\"c\", \"interpreter\"], 0)) * 2.0\n";
    std::vector<std::string> texts{kProgram, test::LayeredProgram{.layers = 3}.text(), convolutions};
    if (m_registry.device("c"))
        texts.push_back(devices);
    for (const std::string &text : texts) {
        const Compilation compilation = compiled(text);
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const auto step = std::ranges::find(compilation.pipeline.steps, std::string_view("choose-transforms"),
                                            [](const PassStep &one) { return one.pass->id; });
        ASSERT_NE(step, compilation.pipeline.steps.end());
        const PassStep alone = runPass(step->before, *step->pass, compilation.target, {}, kNoRewriteLimit / 2);
        EXPECT_EQ(textOf(step->after), textOf(alone.after));
        EXPECT_EQ(step->rewrites.size(), alone.rewrites.size());
    }
}

// What is alike in a program of layers is the most of it.
TEST_F(PartialRun, findsNestsThatAreAlike)
{
    const Compilation compilation = compiled(test::LayeredProgram{.layers = 4}.text());
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const auto step = std::ranges::find(compilation.pipeline.steps, std::string_view("choose-transforms"),
                                        [](const PassStep &one) { return one.pass->id; });
    ASSERT_NE(step, compilation.pipeline.steps.end());
    const auto &loops = std::get<LoopProgramPtr>(step->before);
    std::set<std::string> keys;
    for (const auto &nest : loops->nests)
        keys.insert(choiceKeyOf(*loops->schedule, *nest).value_or(format("of {} alone", nest->kernel.value)));
    EXPECT_LT(2 * keys.size(), loops->nests.size());
}

TEST_F(PartialRun, tellsTheRewriteThatTheWholePassTells)
{
    for (const PassStep &step : m_compilation.pipeline.steps) {
        const std::vector<RewriteEvent> all = rewritesOf(step, m_compilation.target, kAllRewrites, {});
        ASSERT_EQ(all.size(), step.rewrites.size());
        for (std::uint32_t i = 0; i < all.size(); i += 1 + static_cast<std::uint32_t>(all.size()) / 40) {
            const std::optional<RewriteEvent> one = rewriteOf(step, m_compilation.target, i, {});
            ASSERT_TRUE(one.has_value()) << step.pass->id;
            EXPECT_EQ(one->rule, all[i].rule);
            EXPECT_EQ(one->detail, all[i].detail) << step.pass->id << " " << i;
            EXPECT_EQ(one->before, all[i].before) << step.pass->id << " " << i;
            EXPECT_EQ(one->after, all[i].after) << step.pass->id << " " << i;
            EXPECT_EQ(one->kernel, all[i].kernel);
        }
        EXPECT_FALSE(rewriteOf(step, m_compilation.target, static_cast<std::uint32_t>(all.size()), {}).has_value());
    }
}

} // namespace
} // namespace sw
