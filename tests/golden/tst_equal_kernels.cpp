// Kernels that do the same are compiled as one: the cost of compiling depends on what differs in a program, and after an edit
// on what the edit changed. Each kernel still shows its own names, buffers and origins.

#include "tests/golden/program_fixture.h"

#include "engine/api/describe.h"
#include "engine/execute/input_values.h"
#include "engine/pipeline/pipeline.h"
#include "tests/support/layered_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sw::test {
namespace {

class EqualKernels : public ProgramTest {
protected:
    [[nodiscard]] CompileRequest requestFor(const LayeredProgram &program, const std::string &device) const
    {
        CompileRequest request = ProgramTest::requestFor("layers.sw", device);
        request.program.text = program.text();
        request.program.isText = true;
        return request;
    }
    // How often the device's own compiler has been called for a kernel so far.
    static std::size_t compiledBy(ProgramCompiler &compiler, const std::string &device)
    {
        return compiler.openedDevice(device, 0).value()->compiledCount();
    }
};

class EqualKernelsOn : public EqualKernels, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override
    {
        if (const std::string reason = whyUnavailable(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }
};

std::set<std::string> textsOf(const Compilation &compilation)
{
    std::set<std::string> texts;
    for (const RenderedSource &source : *compilation.code)
        texts.insert(source.text);
    return texts;
}

TEST_P(EqualKernelsOn, moreOfTheSameCompilesNothingMore)
{
    std::vector<std::size_t> compiled;
    std::vector<std::size_t> kernels;
    for (const std::size_t layers : {3, 7}) {
        ProgramCompiler compiler(m_registry);
        const Compilation made = compiler.compile(requestFor(LayeredProgram{.layers = layers}, GetParam()), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        compiled.push_back(compiledBy(compiler, GetParam()));
        kernels.push_back(made.lowered->kernels.size());
        EXPECT_EQ(textsOf(made).size(), compiled.back());
        EXPECT_LE(made.lowered->kernels.bodies().size(), compiled.back() + 2) << "lowered as often as it is different";
    }
    EXPECT_EQ(compiled[0], compiled[1]);
    EXPECT_GT(kernels[1], kernels[0] + 4 * 4);
}

TEST_P(EqualKernelsOn, aLineBeforeEverythingCompilesOnlyItsOwnKernel)
{
    ProgramCompiler compiler(m_registry);
    ASSERT_TRUE(compiler.compile(requestFor(LayeredProgram{.layers = 3}, GetParam()), {}).succeeded);
    const std::size_t before = compiledBy(compiler, GetParam());
    const LayeredProgram edited{.layers = 3, .first = "input early: f32[7]\noutput late = early * early + 3\n"};
    ASSERT_TRUE(compiler.compile(requestFor(edited, GetParam()), {}).succeeded);
    EXPECT_EQ(compiledBy(compiler, GetParam()), before + 1);
}

TEST_P(EqualKernelsOn, anEditOfALayerCompilesThatLayersKernels)
{
    ProgramCompiler compiler(m_registry);
    const Compilation before = compiler.compile(requestFor(LayeredProgram{.layers = 5}, GetParam()), {});
    ASSERT_TRUE(before.succeeded) << toText(before.diagnostics);
    const std::size_t compiledBefore = compiledBy(compiler, GetParam());
    const LayeredProgram edited{.layers = 5, .other = {{2, "sin"}}};
    const Compilation after = compiler.compile(requestFor(edited, GetParam()), {});
    ASSERT_TRUE(after.succeeded) << toText(after.diagnostics);

    std::vector<std::string> added;
    std::ranges::set_difference(textsOf(after), textsOf(before), std::back_inserter(added));
    EXPECT_EQ(compiledBy(compiler, GetParam()) - compiledBefore, added.size());
    EXPECT_GT(added.size(), 0U);
    EXPECT_LT(added.size(), compiledBefore / 2);

    // And back again: everything is still there.
    ASSERT_TRUE(compiler.compile(requestFor(LayeredProgram{.layers = 5}, GetParam()), {}).succeeded);
    EXPECT_EQ(compiledBy(compiler, GetParam()) - compiledBefore, added.size());
}

// When kernels share one artifact, each launch still has its own buffers.
TEST_P(EqualKernelsOn, computeTheirOwnValues)
{
    const LayeredProgram program{.layers = 4};
    std::vector<ExecutionResult> results;
    for (const std::string device : {"interpreter", GetParam()}) {
        ProgramCompiler compiler(m_registry);
        auto result = run(compiler, requestFor(program, device));
        ASSERT_TRUE(result) << toText(result.error());
        results.push_back(std::move(*result));
    }
    ASSERT_EQ(results[0].outputs.size(), results[1].outputs.size());
    for (std::size_t i = 0; i < results[0].outputs.size(); ++i) {
        const HostTensor &wanted = results[0].outputs[i].value;
        const HostTensor &found = results[1].outputs[i].value;
        for (std::int64_t element = 0; element < wanted.elements(); ++element)
            ASSERT_NEAR(found.at(element).asDouble(), wanted.at(element).asDouble(), 1e-4) << results[0].outputs[i].name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EqualKernelsOn, testing::Values("llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

// Lowering each different body once and writing the kernels out gives the same as lowering every kernel.
class SharedBodies : public EqualKernels, public testing::WithParamInterface<std::filesystem::path> {};

void expectWrittenOutAsAlone(const Compilation &compilation)
{
    const auto &steps = compilation.pipeline.steps;
    const auto lowering = std::ranges::find_if(steps, [](const PassStep &step) { return step.pass->id == "lower-loops"; });
    ASSERT_NE(lowering, steps.end());
    const auto shared = std::get<LoweredProgramPtr>(lowering->after);
    auto alone = std::make_shared<LoweredProgram>();
    alone->schedule = shared->schedule;
    for (const LoweredKernel &kernel : shared->kernels)
        alone->kernels.push_back(kernel);
    EXPECT_EQ(alone->kernels.bodies().size(), alone->kernels.size());
    const PipelineRun run = runPipeline(LoweredProgramPtr(alone), standardPipeline(), compilation.target, {});
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    const auto wanted = std::get<LoweredProgramPtr>(run.last);
    ASSERT_EQ(wanted->kernels.size(), compilation.lowered->kernels.size());
    for (std::size_t kernel = 0; kernel < wanted->kernels.size(); ++kernel)
        EXPECT_EQ(compilation.lowered->kernels[kernel], wanted->kernels[kernel]) << wanted->kernels[kernel].name;
}

TEST_P(SharedBodies, areWrittenOutAsKernelsLoweredAlone)
{
    for (const char *device : {"interpreter", "llvm"}) {
        SCOPED_TRACE(device);
        ProgramCompiler compiler(m_registry);
        const Compilation made = compiler.compile(ProgramTest::requestFor(GetParam(), device, CompileUntil::Lowered), {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        expectWrittenOutAsAlone(made);
    }
}

INSTANTIATE_TEST_SUITE_P(All, SharedBodies, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

TEST_F(EqualKernels, haveTheirOwnNamesBuffersAndOrigins)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor(LayeredProgram{.layers = 6}, "llvm"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    expectWrittenOutAsAlone(made);
    const KernelList &kernels = made.lowered->kernels;
    ASSERT_LT(kernels.bodies().size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const ScheduledKernel &scheduled = made.schedule->kernels[i];
        const LoweredKernel &kernel = kernels[i];
        EXPECT_EQ(kernel.kernel, KernelId(i));
        EXPECT_EQ(kernel.name, scheduled.name);
        EXPECT_EQ(kernel.origin, scheduled.origin);
        EXPECT_EQ((*made.code)[i].kernel, KernelId(i));
        for (const Instruction &instruction : kernel.instructions) {
            if (instruction.kind != InstructionKind::DefineGlobal)
                continue;
            const BufferId buffer = kernel.arguments.at(instruction.argument);
            EXPECT_EQ(instruction.name, made.schedule->buffer(buffer).name);
        }
    }
}

// A machine instruction that two kernels share leads, in each of them, to that kernel's own origins.
TEST_F(EqualKernels, shareCodeButNotWhatItLightsUp)
{
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(requestFor(LayeredProgram{.layers = 6}, "llvm"), {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const auto &artifacts = made.program->artifacts;
    std::vector<std::set<std::uint32_t>> allowed;
    for (std::size_t kernel = 0; kernel < artifacts.size(); ++kernel) {
        std::set<std::uint32_t> &own = allowed.emplace_back();
        const auto add = [&](const Origin &origin) {
            for (const SourceId source : origin.sources())
                own.insert(source.value);
        };
        add(made.schedule->kernels[kernel].origin);
        add(made.loops->nests[kernel]->origin);
        for (const Value &value : made.loops->nests[kernel]->values)
            add(value.origin);
        for (const Axis &axis : made.loops->nests[kernel]->axes)
            add(axis.origin);
        for (const Reduction &reduction : made.loops->nests[kernel]->reductions)
            add(reduction.origin);
        for (const StoreStatement &store : made.loops->nests[kernel]->stores)
            add(store.origin);
        for (const BufferId buffer : made.lowered->kernels.argumentsOf(kernel))
            add(made.schedule->buffer(buffer).origin);
    }
    std::size_t shared = 0;
    for (std::size_t a = 0; a < artifacts.size(); ++a)
        shared += std::ranges::count(artifacts, artifacts[a]) > 1 ? 1 : 0;
    EXPECT_GT(shared, artifacts.size() / 2);
    const std::vector<MachineListing> listings = compiler.machineListings(made);
    for (const StageDocumentPtr &document :
         {describeCode(*made.lowered, *made.code), describeMachine(*made.lowered, *made.code, listings)}) {
        std::vector<std::set<std::uint32_t>> lit(artifacts.size());
        for (const DocumentItem &item : document->items) {
            ASSERT_LT(item.kernel, allowed.size());
            for (const std::uint32_t source : item.sources)
                EXPECT_TRUE(allowed[item.kernel].contains(source)) << item.label;
            lit[item.kernel].insert(item.sources.begin(), item.sources.end());
        }
        for (std::size_t kernel = 0; kernel < lit.size(); ++kernel)
            EXPECT_FALSE(lit[kernel].empty()) << kernel;
    }
}

} // namespace
} // namespace sw::test
