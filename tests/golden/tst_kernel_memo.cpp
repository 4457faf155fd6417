// A compilation after an edit takes over what the ones before made of kernels that are still the same. It must be the compilation
// that would have been made from nothing, in every stage and every count.

#include "tests/golden/program_fixture.h"

#include "engine/api/stage_text.h"
#include "engine/base/whole_file.h"
#include "engine/passes/lowered/kernel_pass.h"
#include "engine/pipeline/pipeline.h"
#include "tests/support/layered_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace sw::test {
namespace {

class KernelMemoOnEdits : public ProgramTest {
protected:
    [[nodiscard]] CompileRequest requestFor(const LayeredProgram &program, const std::string &device = "llvm") const
    {
        CompileRequest request = requestOf(program.text(), device);
        request.until = CompileUntil::Lowered;
        return request;
    }
    static void expectAsFromNothing(const Compilation &found)
    {
        const std::vector<PassStep> &steps = found.pipeline.steps;
        const PipelineRun wanted = runPipeline(steps.front().before, standardPipeline(), found.target, {});
        ASSERT_TRUE(wanted.succeeded) << toText(wanted.diagnostics);
        ASSERT_EQ(steps.size(), wanted.steps.size());
        for (std::size_t i = 0; i < wanted.steps.size(); ++i)
            expectSame(steps[i], wanted.steps[i]);
    }

private:
    static void expectSame(const PassStep &found, const PassStep &wanted)
    {
        SCOPED_TRACE(wanted.pass->id);
        ASSERT_EQ(found.pass, wanted.pass);
        EXPECT_EQ(found.changed, wanted.changed);
        ASSERT_EQ(found.rewrites.size(), wanted.rewrites.size());
        EXPECT_TRUE(std::ranges::equal(found.rewrites.rules(), wanted.rewrites.rules()));
        for (std::size_t i = 0; i < wanted.rewrites.size(); ++i) {
            ASSERT_EQ(found.rewrites.rule(i), wanted.rewrites.rule(i));
            ASSERT_EQ(found.rewrites.kernel(i), wanted.rewrites.kernel(i));
        }
        EXPECT_EQ(stageText(found.after), stageText(wanted.after));
        const auto *lowered = std::get_if<LoweredProgramPtr>(&found.after);
        if (lowered == nullptr)
            return;
        const KernelList &kernels = (*lowered)->kernels;
        const KernelList &others = std::get<LoweredProgramPtr>(wanted.after)->kernels;
        EXPECT_EQ(kernels.bodies().size(), others.bodies().size());
        ASSERT_EQ(kernels.size(), others.size());
        for (std::size_t i = 0; i < others.size(); ++i)
            EXPECT_EQ(kernels[i], others[i]);
    }
};

// How many bodies are those of the compilation before.
std::size_t sharedWith(const Compilation &before, const Compilation &after)
{
    const std::span<const KernelList::Body> known = before.lowered->kernels.bodies();
    return static_cast<std::size_t>(std::ranges::count_if(after.lowered->kernels.bodies(), [&](const KernelList::Body &body) {
        return std::ranges::find(known, body) != known.end();
    }));
}

std::atomic<std::size_t> visits = 0;

std::optional<LoweredKernel> visitBody(const LoweredKernel &, PassContext &)
{
    ++visits;
    return std::nullopt;
}

Result<std::optional<LoweredProgram>> visitBodies(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &visitBody);
}

TEST_F(KernelMemoOnEdits, makeWhatWouldBeMadeFromNothing)
{
    ProgramCompiler compiler(m_registry);
    for (const LayeredProgram &program :
         {LayeredProgram{.layers = 6}, LayeredProgram{.layers = 6, .other = {{3, "sin"}}}, LayeredProgram{.layers = 5},
          LayeredProgram{.layers = 6, .first = "input early: f32[7]\noutput late = early * early + 3\n"},
          LayeredProgram{.layers = 6}}) {
        const CompileRequest request = requestFor(program);
        const Compilation made = compiler.compile(request, {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        expectAsFromNothing(made);
    }
}

class KernelMemoOn : public KernelMemoOnEdits, public testing::WithParamInterface<std::filesystem::path> {};

// Every kind of kernel that the examples have: a line before all others moves its numbers and places.
TEST_P(KernelMemoOn, makeWhatWouldBeMadeFromNothing)
{
    const std::string text = readTextFile(GetParam().string()).value();
    for (const std::string device : {"llvm", "interpreter"}) {
        ProgramCompiler compiler(m_registry);
        for (const std::string first : {"", "input early: f32[7]\noutput late = early * early + 3\n", "", "# a line\n"}) {
            CompileRequest request = requestOf(first + text, device);
            request.until = CompileUntil::Lowered;
            const Compilation made = compiler.compile(request, {});
            if (!made.succeeded && first.empty())
                GTEST_SKIP() << toText(made.diagnostics); // it names a device that is not here
            ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
            expectAsFromNothing(made);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, KernelMemoOn, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

// Also where the edit gives other numbers and names to the kernels and buffers behind it.
TEST_F(KernelMemoOnEdits, makeAgainOnlyWhatWasEdited)
{
    std::vector<PassInfo> passes(standardPipeline().begin(), standardPipeline().end());
    passes.push_back(makePass<visitBodies>("visit-bodies", "Visit bodies", "For tests."));
    for (const LayeredProgram &edited :
         {LayeredProgram{.layers = 6, .other = {{3, "sin"}}}, LayeredProgram{.layers = 6, .other = {{3, "1.5 * gelu"}}},
          LayeredProgram{.layers = 6, .first = "input early: f32[7]\noutput late = early * early + 3\n"}}) {
        PipelineMemo memo;
        std::size_t bodies = 0;
        for (const LayeredProgram &program : {LayeredProgram{.layers = 6}, edited}) {
            ProgramCompiler compiler(m_registry);
            const Compilation made = compiler.compile(requestFor(program), {});
            ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
            visits = 0;
            const PipelineRun run = runPipeline(made.pipeline.steps.front().before, passes, made.target, {}, {}, nullptr, &memo);
            ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
            bodies = std::get<LoweredProgramPtr>(run.last)->kernels.bodies().size();
            if (edited.text() != program.text()) {
                EXPECT_EQ(visits, bodies) << "nothing is known yet";
            }
        }
        EXPECT_GT(visits, 0U);
        EXPECT_LT(visits, bodies / 2) << edited.text();
    }
}

// What a person decides for one kernel does not touch the others.
TEST_F(KernelMemoOnEdits, holdThroughOverrides)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor(LayeredProgram{.layers = 6});
    const Compilation before = compiler.compile(request, {});
    ASSERT_TRUE(before.succeeded) << toText(before.diagnostics);
    request.options.overrides = parseOverrides("stepwell overrides 1\nloops h2: split i0 8\n", "test").value();
    const Compilation after = compiler.compile(request, {});
    ASSERT_TRUE(after.succeeded) << toText(after.diagnostics);
    ASSERT_EQ(after.loops->overrides.size(), 1U);
    EXPECT_EQ(after.loops->overrides.front().state, OverrideState::Applied) << after.loops->overrides.front().reason;
    EXPECT_GT(sharedWith(before, after), 5U);
    expectAsFromNothing(after);
}

std::optional<LoweredKernel> withWrongOperand(const LoweredKernel &kernel, PassContext &)
{
    LoweredKernel broken = kernel;
    for (Instruction &instruction : broken.instructions)
        if (instruction.kind == InstructionKind::Store)
            instruction.operands.front() = InstructionId(broken.instructions.size());
    return broken;
}

Result<std::optional<LoweredProgram>> breakKernels(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &withWrongOperand);
}

// What a compilation made that failed is not taken for sound by the next one.
TEST_F(KernelMemoOnEdits, holdNothingThatIsWrong)
{
    ProgramCompiler compiler(m_registry);
    const CompileRequest request = requestFor(LayeredProgram{.layers = 6});
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const Stage start = made.pipeline.steps.front().before;
    std::vector<PassInfo> passes(standardPipeline().begin(), standardPipeline().end());
    passes.push_back(makePass<breakKernels>("break-kernels", "Break kernels", "For tests."));
    PipelineMemo memo;
    for (int round = 0; round < 3; ++round) {
        const PipelineRun run = runPipeline(start, passes, made.target, {}, {}, nullptr, &memo);
        ASSERT_FALSE(run.succeeded);
        EXPECT_EQ(run.steps.back().pass->id, "break-kernels");
        EXPECT_EQ(run.diagnostics.front().code, Code::InvalidIr);
        const PipelineRun sound = runPipeline(start, standardPipeline(), made.target, {}, {}, nullptr, &memo);
        EXPECT_TRUE(sound.succeeded) << toText(sound.diagnostics);
    }
}

TEST_F(KernelMemoOnEdits, areForOneTarget)
{
    ProgramCompiler compiler(m_registry);
    const auto changed = [&](const std::function<void(CompileRequest &)> &change) {
        CompileRequest request = requestFor(LayeredProgram{.layers = 6});
        change(request);
        return request;
    };
    const std::vector<CompileRequest> requests = {
        changed([](CompileRequest &) {}),
        changed([](CompileRequest &request) { request.options.contract = false; }),
        changed([](CompileRequest &request) { request.device = "interpreter"; }),
        changed([](CompileRequest &request) { request.threads = 1; }),
    };
    std::vector<Compilation> made;
    for (int round = 0; round < 2; ++round)
        for (const CompileRequest &request : requests) {
            made.push_back(compiler.compile(request, {}));
            ASSERT_TRUE(made.back().succeeded) << toText(made.back().diagnostics);
            expectAsFromNothing(made.back());
        }
    EXPECT_EQ(sharedWith(made[0], made[1]), 0U);
    EXPECT_EQ(sharedWith(made[0], made[4]), 0U) << "too many targets in between";

    const Compilation again = compiler.compile(requests[2], {});
    ASSERT_TRUE(again.succeeded);
    EXPECT_GT(sharedWith(made[6], again), 0U) << "a few targets in turns";
}

} // namespace
} // namespace sw::test
