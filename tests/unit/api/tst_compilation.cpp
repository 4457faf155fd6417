// What a request says reaches what it is for.

#include "engine/api/compilation.h"

#include "engine/api/describe.h"
#include "engine/api/document_sharing.h"
#include "engine/api/resources.h"
#include "engine/api/stage_text.h"
#include "engine/backend/native_backends.h"
#include "engine/base/work_progress.h"
#include "engine/lowered/work.h"
#include "tests/support/layered_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace sw {
namespace {

class CompilationTest : public testing::Test {
protected:
    CompilationTest() { addNativeBackends(m_registry); }

    Compilation compiled(const std::string &text, std::uint32_t threads, CompileUntil until)
    {
        CompileRequest request;
        request.program.fileName = "test.sw";
        request.program.text = text;
        request.program.isText = true;
        request.program.resourceFolder = findResourceFolder();
        request.threads = threads;
        request.until = until;
        return m_compiler.compile(request, {});
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

// One thread needs one work item, many need some each.
TEST_F(CompilationTest, plansKernelsForTheThreadsThatAreAskedFor)
{
    const std::string text = "input x: f32[1048576]\noutput exp(x)\n";
    std::vector<std::int64_t> workItems;
    for (const std::uint32_t threads : {1U, 64U}) {
        const Compilation compilation = compiled(text, threads, CompileUntil::Lowered);
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        EXPECT_EQ(compilation.target.device.threads, threads);
        workItems.push_back(compilation.lowered->kernels.front().globalSize[0]);
    }
    EXPECT_LT(workItems[0], 64);
    EXPECT_GE(workItems[1], 64);
    const Result<OpenedDevice *> opened = m_compiler.openedDevice("llvm", 3);
    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->info().threads, 3U);
}

TEST_F(CompilationTest, readsTheMachineCodeOfTheKernelThatIsAskedFor)
{
    const Compilation compilation =
        compiled("input x: f32[64, 64]\noutput y = exp(x)\noutput z = sum(x, axis = 0)\n", 0, CompileUntil::Machine);
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    ASSERT_EQ(compilation.program->artifacts.size(), 2U);
    const std::vector<MachineListing> one = m_compiler.machineListings(compilation, KernelId(1U));
    EXPECT_FALSE(one[0]);
    ASSERT_TRUE(one[1] && *one[1]);
    EXPECT_FALSE((**one[1]).empty());
    for (const MachineListing &listing : m_compiler.machineListings(compilation))
        EXPECT_TRUE(listing && *listing);
}

TEST_F(CompilationTest, saysHowFarItIs)
{
    WorkProgress progress;
    CompileRequest request;
    request.program.fileName = "test.sw";
    request.program.text = "input x: f32[64]\noutput y = exp(x)\noutput z = sum(x)\n";
    request.program.isText = true;
    request.program.resourceFolder = findResourceFolder();
    request.progress = &progress;
    std::vector<std::string> steps;
    const Compilation compilation =
        m_compiler.compile(request, {}, [&](const Compilation &) { steps.push_back(toText(progress.now())); });
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    // After the program, each stage, and the code.
    EXPECT_EQ(steps, (std::vector<std::string>{"Read the program", "Group into kernels", "Build loops, 2 of 2 kernels",
                                               "Lower loops, 2 of 2 kernels", steps.at(4), "Write the code",
                                               "Compile, 2 of 2 kernels"}));
    EXPECT_EQ(toText(progress.now()), "") << "it is over";
}

// Nobody looks at them, and somebody waits for the thread.
TEST_F(CompilationTest, cutsDocumentsShortThatAreStopped)
{
    const Compilation compilation = compiled("input x: f32[64]\noutput exp(x)\n", 0, CompileUntil::Code);
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    std::stop_source stop;
    stop.request_stop();
    const std::stop_token token = stop.get_token();
    for (const StageDocumentPtr &document :
         {describeGraph(*compilation.graph, compilation.schedule.get(), token),
          describeSchedule(*compilation.schedule, compilation.loops.get(), {}, token), describeLoops(*compilation.loops, token),
          describeLowered(*compilation.lowered, token), describeCode(*compilation.lowered, *compilation.code, token)}) {
        EXPECT_TRUE(document->items.empty()) << nameOf(document->kind);
        EXPECT_TRUE(document->lines.empty()) << nameOf(document->kind);
    }
}

// Passes do the kernels side by side where no rewrite is forbidden, and one after the other where some are.
TEST_F(CompilationTest, buildsAndLowersKernelsSideBySideAsOneAfterTheOther)
{
    const Compilation compilation = compiled(test::LayeredProgram{.layers = 3}.text(), 0, CompileUntil::Lowered);
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    std::size_t compared = 0;
    for (const PassStep &step : compilation.pipeline.steps) {
        if (step.pass->id != "build-loops" && step.pass->id != "choose-transforms" && step.pass->id != "lower-loops")
            continue;
        ++compared;
        ASSERT_TRUE(step.changed);
        const auto rewrites = static_cast<std::uint32_t>(step.rewrites.size());
        const PassStep serial = runPass(step.before, *step.pass, compilation.target, {}, rewrites + 1);
        EXPECT_EQ(serial.rewrites.size(), rewrites);
        EXPECT_TRUE(std::ranges::equal(serial.rewrites.rules(), step.rewrites.rules()));
        EXPECT_EQ(stageText(serial.after), stageText(step.after)) << step.pass->id;
    }
    EXPECT_EQ(compared, 3U);
}

TEST_F(CompilationTest, describesKernelsThatShareABodyAsIfWrittenOut)
{
    const Compilation compilation = compiled(test::LayeredProgram{.layers = 3}.text(), 0, CompileUntil::Code);
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const LoweredProgram &shared = *compilation.lowered;
    ASSERT_LT(shared.kernels.bodies().size(), shared.kernels.size());
    LoweredProgram written{shared.schedule, {}};
    for (const LoweredKernel &kernel : shared.kernels)
        written.kernels.push_back(kernel);
    const std::vector<MachineListing> unread(shared.kernels.size());
    const auto describe = [&](const LoweredProgram &program) {
        return std::array{describeLowered(program), describeCode(program, *compilation.code),
                          describeMachine(program, *compilation.code, unread)};
    };
    const auto ofShared = describe(shared);
    const auto ofWritten = describe(written);
    for (std::size_t i = 0; i < ofShared.size(); ++i)
        EXPECT_TRUE(areEqual(*ofShared.at(i), *ofWritten.at(i))) << nameOf(ofShared.at(i)->kind);
}

// Fields that are made when somebody reads them, when all else of the compilation may be gone.
TEST_F(CompilationTest, saysTheSameOfItemsLaterOn)
{
    const std::string text = test::LayeredProgram{.layers = 2}.text();
    std::vector<StageDocumentPtr> atOnce;
    std::vector<StageDocumentPtr> later;
    {
        const Compilation compilation = compiled(text, 0, CompileUntil::Lowered);
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        atOnce = {describeGraph(*compilation.graph, compilation.schedule.get()), describeGraph(*compilation.graph, nullptr),
                  describeSchedule(*compilation.schedule, compilation.loops.get()),
                  describeSchedule(*compilation.schedule, nullptr), describeLoops(*compilation.loops)};
        later = {describeGraph(compilation.graph, compilation.schedule), describeGraph(compilation.graph, SchedulePtr()),
                 describeSchedule(compilation.schedule, compilation.loops),
                 describeSchedule(compilation.schedule, LoopProgramPtr()), describeLoops(compilation.loops)};
    }
    for (std::size_t i = 0; i < later.size(); ++i)
        EXPECT_TRUE(areEqual(*later[i], *atOnce[i])) << nameOf(later[i]->kind) << " " << i;
}

TEST_F(CompilationTest, countsTheWorkOfKernelsThatShareABodyForEach)
{
    const Compilation compilation = compiled(test::LayeredProgram{.layers = 3}.text(), 0, CompileUntil::Lowered);
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const LoweredProgram &lowered = *compilation.lowered;
    ASSERT_LT(lowered.kernels.bodies().size(), lowered.kernels.size());
    const std::vector<KernelWork> works = executedWorks(*compilation.schedule, &lowered);
    ASSERT_EQ(works.size(), lowered.kernels.size());
    for (std::size_t i = 0; i < works.size(); ++i) {
        const std::optional<KernelWork> own = workOf(lowered.kernels.at(i));
        ASSERT_TRUE(own);
        EXPECT_EQ(works[i].flops, own->flops) << lowered.kernels.at(i).name;
        EXPECT_EQ(works[i].bytes(), own->bytes()) << lowered.kernels.at(i).name;
    }
}

} // namespace
} // namespace sw
