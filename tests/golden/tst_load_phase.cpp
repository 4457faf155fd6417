// What depends on parameters and constants alone is computed once, when a program is loaded: on every device, with the values
// that the run would compute.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/schedule/item_walk.h"
#include "engine/schedule/layout.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

struct LoadProgram {
    const char *name;
    std::ptrdiff_t loadKernels; // at least, on a CPU
    const char *text;
};

constexpr LoadProgram kPrograms[] = {
    {"rows and columns of weights in panels", 2, R"(input x: f32[32, 96]
param v: f32[96, 64] = random(1)
param w: f32[48, 64] = random(2)
output (x @ v) @ transpose(w)
)"},
    {"a chain of values", 2, R"(input x: f32[40, 64]
param v: f32[64, 64] = random(1)
param g: f32[64] = random(2)
mixed = softmax(v @ v, axis = -1)
output x * exp(sum(mixed, axis = 0) + g)
)"},
    {"read by the load and by the run", 1, R"(input x: f32[32, 64]
param v: f32[64, 64] = random(1)
output x @ softmax(v, axis = 0) + sum(v, axis = 0)
)"},
    {"narrow weights that fill no vector", 1, R"(input x: f32[96, 64]
param w: f16[50, 64] = random(1)
output x @ transpose(cast(w, f32))
)"},
    {"weights of fewer rows than a vector has lanes", 1, R"(input x: f32[1, 32, 9, 11]
param v: f32[12, 32, 3, 3] = random(1)
param w: f32[6, 32] = random(2)
output conv2d(x, v, padding = 1)
output w @ x.reshape([32, 99])
)"},
    {"a recurrence with weights", 1, R"(input x: f32[200, 8, 32]
input first: f32[8, 32]
param v: f32[32, 32] = random(1)
param g: f32[32] = random(2)
w = softmax(v, axis = 0)
def step(states, parts, w):
    h = tanh(parts[0] + states[0] @ w)
    return [[h], [h]]
last, rows = scan(step, [first], [x], w)
output last[0] * exp(g)
)"},
};

// A parameter that is an input of the run has the same values, and nothing is computed before.
std::string withInputs(std::string text)
{
    for (std::size_t at = text.find("param "); at != std::string::npos; at = text.find("param ")) {
        text.replace(at, 6, "input ");
        const std::size_t value = text.find(" = random", at);
        text.erase(value, text.find('\n', at) - value);
    }
    return text;
}

std::ptrdiff_t loadKernelsIn(const Schedule &schedule)
{
    return std::ranges::count(loadKernelsOf(schedule), true);
}

class LoadPhase : public ProgramTest {
protected:
    // The compiler must outlive the executor.
    Result<std::unique_ptr<Executor>> prepared(ProgramCompiler &compiler, const Compilation &compilation)
    {
        SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, 1, compilation.runDimensions));
        SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
        return Executor::prepare(std::move(devices), compilation.program, values, {}, compilation.runDimensions);
    }
};

class LoadPrograms : public LoadPhase, public testing::WithParamInterface<std::tuple<LoadProgram, const char *>> {};

TEST_P(LoadPrograms, haveTheValuesOfTheRun)
{
    const auto &[program, device] = GetParam();
    if (const std::string why = whyUnavailable(device); !why.empty())
        GTEST_SKIP() << why;
    ProgramCompiler compiler(m_registry);
    const Compilation loaded = compiler.compile(requestOf(program.text, device), {});
    ASSERT_TRUE(loaded.succeeded) << toText(loaded.diagnostics);
    // Of an OpenCL device, parameters are no panels.
    if (loaded.target.device.kind == DeviceKind::Cpu && std::string_view(device) != "opencl")
        EXPECT_GE(loadKernelsIn(*loaded.schedule), program.loadKernels);
    if (std::string_view(device) == "opencl")
        for (const ScheduledKernel &kernel : loaded.schedule->kernels)
            EXPECT_NE(loaded.schedule->graph->node(kernel.root).kind, NodeKind::Contiguous) << kernel.name;
    const auto executor = prepared(compiler, loaded);
    ASSERT_TRUE(executor) << toText(executor.error());
    const auto twice = (*executor)->run({.warmup = 1, .repeats = 2}, {});
    ASSERT_TRUE(twice) << toText(twice.error());

    // The same values, all given to the run.
    std::vector<NamedTensor> given;
    const std::vector<HostTensor> values = placeholderValues(*loaded.graph, {}, 1, loaded.runDimensions).value();
    const std::vector<NodeId> placeholders = loaded.graph->placeholders();
    for (std::size_t i = 0; i < values.size(); ++i)
        given.push_back({attributesOf<PlaceholderAttributes>(loaded.graph->node(placeholders[i])).name, values[i]});
    const std::string text = withInputs(program.text);
    EXPECT_EQ(loadKernelsIn(*compiler.compile(requestOf(text, device), {}).schedule), 0);
    const auto expected = run(compiler, requestOf(text, device), given);
    ASSERT_TRUE(expected) << toText(expected.error());
    for (std::size_t i = 0; i < expected->outputs.size(); ++i)
        expectNear(twice->outputs[i].value, expected->outputs[i].value, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(OnDevices, LoadPrograms, testing::Combine(testing::ValuesIn(kPrograms), testing::ValuesIn(kDevices)),
                         [](const auto &info) {
                             return identifierText(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
                         });

constexpr const char *kChain = kPrograms[1].text;

// The memory of what only the load phase needs serves the run, and its value can be had all the same.
TEST_F(LoadPhase, computesAgainWhatTheRunHasOverwritten)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kChain, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded);
    const Schedule &schedule = *compilation.schedule;
    std::vector<BufferId> spent;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        if (schedule.items[schedule.buffers[i].lastItem].phase == Phase::Load) {
            spent.emplace_back(i);
            EXPECT_FALSE(isHeld(schedule, schedule.buffers[i]));
        }
    ASSERT_GE(spent.size(), 3U) << "v, g, and what is made of them on the way";
    std::vector<BufferId> all;
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        all.emplace_back(i);
    const auto kept = prepared(compiler, compilation).value()->runAndKeep(all, {});
    ASSERT_TRUE(kept) << toText(kept.error());
    const auto values = placeholderValues(*compilation.graph, {}, 1, {}).value();
    for (const BufferId id : spent) {
        const ScheduledBuffer &buffer = schedule.buffer(id);
        ASSERT_TRUE((*kept)[id.value]) << buffer.name;
        if (buffer.name == "v")
            EXPECT_TRUE((*kept)[id.value]->isIdenticalTo(values[1]));
    }
}

TEST_F(LoadPhase, handsItsKernelsTheirArguments)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kChain, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded);
    const Schedule &schedule = *compilation.schedule;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i) {
        EXPECT_EQ(schedule.kernels[i].name.find("_load_") != std::string::npos, phaseOf(schedule, KernelId(i)) == Phase::Load)
            << schedule.kernels[i].name;
        const auto arguments = prepared(compiler, compilation).value()->runUpTo(KernelId(i), {});
        ASSERT_TRUE(arguments) << toText(arguments.error());
        EXPECT_EQ(arguments->values.size(), schedule.kernels[i].reads.size() + schedule.kernels[i].writes.size());
    }
}

TEST_F(LoadPhase, isTimedOnceAndIsNoPartOfARun)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kChain, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded);
    const Schedule &schedule = *compilation.schedule;
    const auto result = prepared(compiler, compilation).value()->run({.warmup = 0, .repeats = 3}, {});
    ASSERT_TRUE(result) << toText(result.error());
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        EXPECT_EQ(result->kernels[i].runs, phaseOf(schedule, KernelId(i)) == Phase::Load ? 1U : 3U);
    for (const std::uint32_t item : schedule.criticalPath)
        EXPECT_EQ(schedule.items[item].phase, Phase::Run);
}

// A weight of a narrow type is widened by each row of a tile, which takes longer than to read it wide once it is multiplied
// often.
TEST_F(LoadPhase, widensOnceWhatIsMultipliedOften)
{
    ProgramCompiler compiler(m_registry);
    for (const DType narrow : {DType::F16, DType::BF16})
        for (const std::int64_t rows : {64, 65})
            for (const char *const device : {"llvm", "interpreter", "opencl"}) {
                if (!whyUnavailable(device).empty())
                    continue;
                const std::string text =
                    format("input x: f32[{}, 64]\nparam w: {}[50, 64] = random(1)\noutput x @ transpose(cast(w, f32))\n", rows,
                           nameOf(narrow));
                const Compilation compilation = compiler.compile(requestOf(text, device), {});
                ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
                const bool isForTiles = multipliesType(compilation.target.device.tensorInstructions, narrow);
                EXPECT_EQ(loadKernelsIn(*compilation.schedule) == 1,
                          rows > 64 && std::string_view(device) == "llvm" && !isForTiles)
                    << rows << " rows of " << nameOf(narrow) << " on " << device;
            }
}

// Quotients and roots are computed again for each tile, however few they are; small values of one shape share a kernel.
TEST_F(LoadPhase, computesSmallScalesTogether)
{
    const std::string text = R"(input x: f32[256, 512]
param w: f32[512, 64] = random(1)
param v: f32[64] = random(2)
param u: f32[64] = random(3)
scale = 1 / sqrt(v + 0.1)
shift = 3 / (u + 2)
y = x @ w
output y * scale + 1
output tanh(y) - shift
)";
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(text, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(loadKernelsIn(*compilation.schedule), 2)
        << "panels of w, and both vectors: " << printSchedule(*compilation.schedule).text;
    EXPECT_TRUE(std::ranges::any_of(compilation.schedule->decisions, [](const FusionDecision &decision) {
        return decision.rule == "sibling" && decision.reason.starts_with("saves a kernel");
    }));
}

// A fault of the load phase is one of each run: its values are wrong there.
TEST_F(LoadPhase, reportsItsFaultsAfterEveryRun)
{
    const std::string text = R"(input x: f32[8]
param v: f32[4, 8] = random(1)
const rows: i32[3, 1] = [[0], [2], [9]]
output x * sum(exp(gather(v, rows, axis = 0)), axis = 0)
)";
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(text, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    ASSERT_EQ(loadKernelsIn(*compilation.schedule), 1);
    const auto executor = prepared(compiler, compilation).value();
    for (int round = 0; round < 2; ++round) {
        const auto result = executor->run({.warmup = 0, .repeats = 2}, {});
        ASSERT_TRUE(result);
        ASSERT_EQ(result->faults.size(), 1U);
        EXPECT_NE(toText(result->faults).find("9"), std::string::npos) << toText(result->faults);
    }
}

class NothingToLoad : public LoadPhase, public testing::WithParamInterface<std::pair<const char *, const char *>> {};

TEST_P(NothingToLoad, leavesAllToTheRun)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(GetParam().second, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(loadKernelsIn(*compilation.schedule), 0);
    const auto result = prepared(compiler, compilation).value()->run({}, {});
    EXPECT_TRUE(result) << toText(result.error());
}

INSTANTIATE_TEST_SUITE_P(Programs, NothingToLoad,
                         testing::Values(std::pair("a_program_of_parameters_alone", R"(param v: f32[64, 64] = random(1)
param w: f32[64, 64] = random(2)
output softmax(v @ w, axis = -1) @ w
)"),
                                         std::pair("an_output", R"(input x: f32[64]
param v: f32[64, 64] = random(1)
output x + 1
output exp(sum(v, axis = 0))
)"),
                                         std::pair("what_the_run_would_not_notice", R"(input x: f32[64, 256]
param v: f32[256, 5] = random(1)
param g: f32[5] = random(2)
scale = g + 1
output (x @ v) * scale
)"),
                                         std::pair("what_is_larger_than_its_source", R"(input x: f32[64, 64]
param g: f32[64] = random(1)
output x * sin(reshape(g, [64, 1]) * reshape(g, [1, 64]))
)"),
                                         std::pair("a_branch", R"(input c: bool[]
input x: f32[64, 64]
param v: f32[64, 64] = random(1)
output choose(c, x @ softmax(v @ v @ v, axis = 0), x @ x @ x)
)"),
                                         std::pair("what_kernel_asks_for", R"(input x: f32[64]
param v: f32[64, 64] = random(1)
output x * kernel(exp(sum(v, axis = 0)))
)")),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace
} // namespace sw::test
