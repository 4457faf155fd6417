#include "engine/api/compilation.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/loops/printer.h"
#include "engine/lowered/printer.h"
#include "engine/pipeline/partial_run.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sw {
namespace {

// Two kernels share a body, the third has its own.
constexpr const char *kProgram = "input x: f32[8, 48]\ninput y: f32[8, 48]\ninput z: f32[7]\n"
                                 "output a = softmax(x, axis = -1)\noutput b = softmax(y, axis = -1)\noutput c = exp(z) * 2.0\n";

class PartialRun : public testing::Test {
protected:
    PartialRun()
    {
        addNativeBackends(m_registry);
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = kProgram;
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.until = CompileUntil::Lowered;
        m_compilation = ProgramCompiler(m_registry).compile(request, {});
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
