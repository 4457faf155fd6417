// Code for other processors, the passes of the compiler, and measured cycles of the last compilation.

#include "engine/api/explorer.h"
#include "engine/api/machine_structure.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class TargetCodeTest : public testing::Test {
protected:
    TargetCodeTest() { addNativeBackends(m_registry); }

    ReportPtr compile(const std::string &text, const std::string &device = "llvm")
    {
        ExploreRequest request;
        request.fileName = "test.sw";
        request.text = text;
        request.device = device;
        return m_explorer.compile(request, {}, {});
    }

    static constexpr const char *kSoftmax = "input x: f32[64, 128]\noutput softmax(x, axis = -1)\n";
    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

TEST_F(TargetCodeTest, meetsTheWindowAtTheLoweredInstructions)
{
    const ReportPtr report = compile(kSoftmax);
    ASSERT_TRUE(report && report->succeeded);
    ASSERT_GE(targetEntries().size(), 16U);
    for (const TargetEntry &target : targetEntries()) {
        const TargetCode made = m_explorer.targetCode(0, target.name);
        if (!made.document) {
            EXPECT_TRUE(contains(made.error, "this LLVM was built without")) << target.name << ": " << made.error;
            continue;
        }
        EXPECT_EQ(made.document->kind, StageKind::Machine);
        EXPECT_TRUE(made.document->parts.empty()); // nothing of it is read later
        ASSERT_FALSE(made.document->items.empty()) << target.name;
        const auto hasInstruction = [&](const DocumentItem &item) {
            return item.kernel == 0 && item.instruction < report->lowered->items.size() &&
                   report->lowered->items[item.instruction].kernel == 0;
        };
        const auto known = std::ranges::count_if(made.document->items, hasInstruction);
        EXPECT_GT(2 * known, static_cast<std::ptrdiff_t>(made.document->items.size())) << target.name;
        ASSERT_EQ(made.document->machine->kernels.size(), 1U);
    }
    const TargetCode sapphire = m_explorer.targetCode(0, "sapphirerapids");
    ASSERT_TRUE(sapphire.document) << sapphire.error;
    EXPECT_FALSE(sapphire.document->machine->loops.empty());
    EXPECT_TRUE(std::ranges::any_of(sapphire.document->machine->loops,
                                    [](const MachineLoopLines &loop) { return loop.cyclesPerRound > 0; }));
}

TEST_F(TargetCodeTest, saysWhyThereIsNone)
{
    EXPECT_TRUE(contains(m_explorer.targetCode(0, "aarch64").error, "compile the program first"));
    ASSERT_TRUE(compile(kSoftmax)->succeeded);
    EXPECT_TRUE(contains(m_explorer.targetCode(0, "pdp11").error, "no target is called \"pdp11\"; there are x86-64, "));
    EXPECT_TRUE(contains(m_explorer.targetCode(99, "aarch64").error, "compile the program first"));
    ASSERT_TRUE(compile(kSoftmax, "interpreter")->succeeded);
    EXPECT_TRUE(contains(m_explorer.targetCode(0, "aarch64").error, "only the device llvm"));
}

TEST_F(TargetCodeTest, listsThePassesWithWhatEachChanged)
{
    EXPECT_TRUE(contains(m_explorer.compilerPasses(0)->error, "compile the program first"));
    ASSERT_TRUE(compile(kSoftmax)->succeeded);
    const CompilerPassesPtr made = m_explorer.compilerPasses(0);
    ASSERT_EQ(made->error, "");
    EXPECT_TRUE(contains(made->kernel, "k0_"));
    bool hasLines = false;
    for (const CompilerPassEntry &pass : made->passes) {
        EXPECT_EQ(pass.isChanged, pass.before != pass.after) << pass.name;
        EXPECT_TRUE(pass.isChanged || pass.added + pass.removed == 0) << pass.name;
        hasLines = hasLines || pass.added + pass.removed > 0;
        if (!pass.isChanged)
            continue;
        const StageDocumentPtr after = passDocument(pass.after);
        EXPECT_EQ(static_cast<std::ptrdiff_t>(after->lines.size()), std::ranges::count(pass.after, '\n')) << pass.name;
    }
    EXPECT_TRUE(hasLines);
    ASSERT_TRUE(compile(kSoftmax, "interpreter")->succeeded);
    EXPECT_FALSE(m_explorer.compilerPasses(0)->error.empty());
}

TEST_F(TargetCodeTest, comparesTheTimesOfTheLastRun)
{
    EXPECT_FALSE(m_explorer.measuredCycles({0}, {}).error.empty());
    ASSERT_TRUE(compile(kSoftmax)->succeeded);
    const CyclesAnswer before = m_explorer.measuredCycles({0}, {});
    ASSERT_EQ(before.kernels.size(), 1U);
    EXPECT_FALSE(before.kernels.front().problem.empty()); // it did not run
    ASSERT_TRUE(m_explorer.run({.seed = 1, .warmup = 1, .repeats = 3}, {}));
    const CyclesAnswer after = m_explorer.measuredCycles({0, 99}, {});
    ASSERT_EQ(after.kernels.size(), 1U); // there is no kernel 99
    EXPECT_GT(after.clock.gigahertz, 0);
    const CyclesOfKernel &kernel = after.kernels.front();
    EXPECT_TRUE(contains(kernel.name, "softmax")) << kernel.name;
    // A processor without a model, and one whose loops call functions, are not compared, and say so.
    if (kernel.problem.empty()) {
        EXPECT_GT(kernel.simulated, 0);
        EXPECT_LE(kernel.low, kernel.measured);
        EXPECT_GE(kernel.high, kernel.measured);
    }
    ASSERT_TRUE(compile(kSoftmax, "interpreter")->succeeded);
    EXPECT_TRUE(contains(m_explorer.measuredCycles({0}, {}).error, "interpreter is no processor"));
}

} // namespace
} // namespace sw
