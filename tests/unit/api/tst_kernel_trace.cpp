// Every kernel of every example, stepped through on what the kernels before it leave it.

#include "engine/api/explorer.h"
#include "engine/api/kernel_trace_parts.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/input_values.h"
#include "engine/execute/kernel_arguments.h"
#include "tests/unit/lowered/stepped_kernels.h"

#include <filesystem>

namespace sw {
namespace {

class KernelTraceTest : public testing::Test {
protected:
    KernelTraceTest() { addNativeBackends(m_registry); }

    Compilation compiled(const std::string &file, const std::string &device)
    {
        CompileRequest request;
        request.program.fileName = file;
        request.program.resourceFolder = findResourceFolder();
        request.device = device;
        request.threads = 4;
        request.until = CompileUntil::Lowered;
        return m_compiler.compile(request, {});
    }

    void expectSteps(const Compilation &compilation, const std::vector<HostTensor> &values, KernelId kernel);

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

// Its buffers at the end are those that the interpreter leaves, and any way to a position shows the same.
void KernelTraceTest::expectSteps(const Compilation &compilation, const std::vector<HostTensor> &values, KernelId kernel)
{
    OpenedDevice &interpreter = **m_compiler.openedDevice("interpreter", 0);
    const auto arguments = argumentsOf(interpreter, compilation.lowered, kernel, values, compilation.runDimensions, {});
    ASSERT_TRUE(arguments) << toText(arguments.error());
    const LoweredKernel &lowered = compilation.lowered->kernels.at(kernel.value);
    test::Buffers buffers;
    for (const HostTensor &value : arguments->values)
        buffers.emplace_back(value.bytes().begin(), value.bytes().end());
    const StepperRequest request = test::stepperRequest(lowered, buffers);
    test::expectResultsOfTheInterpreter(lowered, request, buffers);
    KernelStepper stepper = test::opened(lowered, request);
    const std::uint64_t end = stepper.findEnd().value();
    std::mt19937_64 random(kernel.value);
    for (int round = 0; round < 3; ++round) {
        const std::uint64_t goal = random() % (end + 1);
        ASSERT_TRUE(stepper.goTo(goal));
        const std::string before = test::pictureOf(stepper);
        const std::uint64_t count = std::min<std::uint64_t>(random() % 300, end - goal);
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_TRUE(stepper.stepForward());
        ASSERT_TRUE(stepper.goTo(random() % (end + 1)));
        ASSERT_TRUE(stepper.goTo(goal + count));
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_TRUE(stepper.stepBackward());
        ASSERT_EQ(test::pictureOf(stepper), before);
        KernelStepper fresh = test::opened(lowered, request);
        ASSERT_TRUE(fresh.goTo(goal));
        ASSERT_EQ(test::pictureOf(fresh), before);
    }
}

TEST_F(KernelTraceTest, stepsThroughTheKernelsOfTheExamples)
{
    std::size_t kernels = 0;
    for (const auto &entry : std::filesystem::directory_iterator(findResourceFolder() + "/examples")) {
        for (const char *device : {"interpreter", "llvm"}) {
            const Compilation compilation = compiled(entry.path().string(), device);
            ASSERT_TRUE(compilation.succeeded) << entry.path() << toText(compilation.diagnostics);
            const auto values = placeholderValues(*compilation.graph, {}, 1, compilation.runDimensions);
            ASSERT_TRUE(values) << toText(values.error());
            const std::size_t count = compilation.lowered->kernels.size();
            for (std::size_t kernel = 0; kernel < count; kernel += 1 + count / 4) {
                SCOPED_TRACE(format("{} on {}, kernel {}", entry.path().string(), device, kernel));
                expectSteps(compilation, *values, KernelId(kernel));
                ++kernels;
            }
        }
    }
    EXPECT_GT(kernels, 40U);
}

TEST_F(KernelTraceTest, opensAKernelOfTheLastCompilation)
{
    Explorer explorer(m_registry, findResourceFolder());
    EXPECT_FALSE(explorer.openKernel(0, {}).trace);
    ExploreRequest request;
    request.fileName = "two.sw";
    request.text = "input x: f32[4]\na = kernel(exp(x) * 2, name = \"first\")\noutput sum(a)\n";
    request.device = "interpreter";
    ASSERT_TRUE(explorer.compile(request, {}, {})->succeeded);
    const TraceOpening opening = explorer.openKernel(1, {});
    ASSERT_TRUE(opening.trace) << opening.error;
    KernelTrace &trace = *opening.trace;
    // It reads what the first kernel has written, which is positive.
    const auto read = trace.run(TraceDirection::Forward, "load", {});
    ASSERT_TRUE(read && read->isFound);
    const TracePosition position = trace.where();
    ASSERT_EQ(position.accesses.size(), 1U);
    EXPECT_FALSE(position.accesses[0].isStore);
    EXPECT_GT(std::stod(position.accesses[0].values.at(0)), 0);
    EXPECT_EQ(trace.lines()[position.lastLine - 1].find("load") == std::string::npos, false);
    EXPECT_FALSE(trace.memories().empty());
    const auto history = trace.history(format("{}", position.values.back().instruction), 3, {});
    EXPECT_TRUE(history) << toText(history.error());
    EXPECT_FALSE(explorer.openKernel(7, {}).trace);
}

} // namespace
} // namespace sw
