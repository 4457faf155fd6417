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

TEST_F(KernelTraceTest, tellsItsLoopsAndMemories)
{
    Explorer explorer(m_registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = "rows.sw";
    request.text = "input x: f32[3, 5]\noutput sums = sum(x * 2, axis = 1)\n";
    request.device = "interpreter";
    ASSERT_TRUE(explorer.compile(request, {}, {})->succeeded);
    const TraceOpening opening = explorer.openKernel(0, {});
    ASSERT_TRUE(opening.trace) << opening.error;
    KernelTrace &trace = *opening.trace;
    const std::vector<TraceLoop> loops = trace.loops();
    const std::int64_t items = trace.globalSize()[0] * trace.globalSize()[1] * trace.globalSize()[2];
    ASSERT_FALSE(loops.empty());
    EXPECT_EQ(loops.back().extent, 5);
    for (const TraceLoop &loop : loops) {
        EXPECT_NE(trace.lines()[loop.line - 1].find("range"), std::string::npos);
        EXPECT_NE(trace.lines()[loop.endLine - 1].find("end_range %" + loop.name), std::string::npos);
    }
    std::size_t buffers = 0;
    for (const TraceMemory &memory : trace.memories()) {
        if (memory.name == "x") {
            EXPECT_EQ(memory.shape, (std::vector<std::int64_t>{3, 5}));
        }
        EXPECT_EQ(memory.isWritten, memory.name != "x");
        buffers += memory.isBuffer ? 1 : 0;
    }
    EXPECT_EQ(buffers, 2U);
    // To the third row, by whatever runs the rows, and to the first store from there on.
    const std::string place = items == 3 ? "global_x=2" : loops.front().name + "=2";
    ASSERT_TRUE(trace.runTo(TraceDirection::Forward, place, {})->isFound);
    const std::vector<std::string> conditions{"nan", "store"};
    ASSERT_TRUE(trace.runToAny(TraceDirection::Forward, conditions, {})->isFound);
    EXPECT_EQ(trace.where().accesses.at(0).first, 2);
    // Each of the 15 elements is read once, and each of the 3 sums written once.
    const auto past = trace.lastAccesses(2, {});
    ASSERT_TRUE(past && past->size() == 2);
    EXPECT_TRUE(past->front().isStore);
    EXPECT_EQ(past->front().position, trace.where().position);
    const auto totals = trace.totals(1'000'000, 1000, {});
    ASSERT_TRUE(totals);
    EXPECT_TRUE(totals->isWhole);
    for (const TraceMemory &memory : trace.memories()) {
        for (const TraceMemoryTouches &touches : totals->memories) {
            if (touches.memory != memory.instruction || !memory.isBuffer)
                continue;
            for (const TraceTouches &touched : touches.elements)
                EXPECT_EQ(memory.isWritten ? touched.writes : touched.reads, 1U);
        }
    }
}

TEST_F(KernelTraceTest, readsComparisons)
{
    Explorer explorer(m_registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = "exp.sw";
    request.text = "input x: f32[64]\noutput y = abs(x)\n";
    request.device = "interpreter";
    ASSERT_TRUE(explorer.compile(request, {}, {})->succeeded);
    const TraceOpening opening = explorer.openKernel(0, {});
    ASSERT_TRUE(opening.trace) << opening.error;
    KernelTrace &trace = *opening.trace;
    ASSERT_TRUE(trace.run(TraceDirection::Forward, "load", {})->isFound);
    const std::string value = trace.where().values.back().name;
    const std::uint32_t store = [&] {
        const auto line =
            std::ranges::find_if(trace.lines(), [](const std::string &text) { return text.find(" store ") != text.npos; });
        return static_cast<std::uint32_t>(line - trace.lines().begin()) + 1;
    }();
    const auto valueNow = [&] {
        for (const TraceValue &one : trace.where().values)
            if (one.name == value)
                return std::stod(one.lanes[0]);
        return std::nan("");
    };
    ASSERT_TRUE(trace.run(TraceDirection::Forward, "value:%" + value + " > 0.5", {})->isFound);
    EXPECT_GT(valueNow(), 0.5);
    ASSERT_TRUE(trace.run(TraceDirection::Forward, format("line:{} if {}<=-0.5", store, value), {})->isFound);
    EXPECT_LE(valueNow(), -0.5);
    EXPECT_EQ(trace.where().line, store);
    EXPECT_FALSE(trace.run(TraceDirection::Forward, "value:" + value + " == 1e9", {})->isFound);
    for (const char *wrong : {"value:x5 > ", "line:3 if", "line:3 if 7", "value:nothing > 1", "line:x if 5 > 1"})
        EXPECT_FALSE(trace.run(TraceDirection::Forward, wrong, {})) << wrong;
}

} // namespace
} // namespace sw
