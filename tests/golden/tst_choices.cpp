// Choices between branches on every device: only what is chosen runs, and nothing of the other branch is seen.

#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include "engine/execute/input_values.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

struct ChoiceProgram {
    const char *name;
    const char *text;
};

// `c` and `d` are given: each program runs with all their values.
constexpr ChoiceProgram kPrograms[] = {
    {"one of two products", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
param w: f32[48, 48] = random(2)
output choose(c, exp(x @ v @ w), x @ w + 1)
)"},
    {"nested", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
param w: f32[48, 48] = random(2)
a = x @ v
inner = choose(d, a @ w @ v, a @ v @ v)
output choose(c, inner @ w, x @ w @ w)
)"},
    // The inner condition is computed only where the outer one holds.
    {"a condition in a branch", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
param w: f32[48, 48] = random(2)
a = x @ v @ w
inner = choose(sum(a) > 0, a @ v @ w, a @ w @ w)
output choose(c, inner, x @ w @ w)
)"},
    {"two results", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
a = x @ v @ v
b = x @ (v * 2) @ v
output choose(c, a, b)
output choose(c, sum(a, axis = 0), sum(b @ v, axis = 0))
output choose(~c, 1.0, sum(b))
)"},
    // What is read outside is computed anyway; what both branches need as well.
    {"shared", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
a = x @ v
b = a @ v
output choose(c, b @ v @ v, (x * 2) @ v @ v)
output b + 1
output choose(d, b @ v @ v, a @ v @ v)
)"},
    {"what is there already", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
input y: f32[32, 48]
param v: f32[48, 48] = random(1)
a = choose(c, x, y @ v @ v @ v)
output choose(d, a, zeros([32, 48]))
output choose(d, y, y @ v @ v @ v)
)"},
    {"cheap", R"(input c: bool[]
input d: bool[]
input x: f32[32]
output choose(c, exp(x), choose(d, x, -x)) * 2
)"},
    {"a scan in a branch", R"(input c: bool[]
input d: bool[]
input x: f32[9, 8]
param w: f32[8, 8] = random(1)
def step(states, parts, w):
    h = tanh(parts[0] + states[0] @ w)
    return [[h], [h]]
last, rows = scan(step, [zeros([1, 8])], [x], w)
output choose(c, sum(rows[0], axis = 0), last[0] * 3)
output choose(d, last[0] @ w @ w, zeros([1, 8]))
)"},
    {"in a scan", R"(input c: bool[]
input d: bool[]
input x: f32[9, 32, 48]
param w: f32[48, 48] = random(1)
def step(states, parts, w):
    h = choose(sum(parts[0]) > 0.5, states[0] @ w @ w * 0.1, choose(c, states[0], parts[0] @ w @ w))
    return [[h], [sum(h)]]
last, rows = scan(step, [zeros([32, 48])], [x], w)
output last[0]
output rows[0]
)"},
    {"differentiated", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
param w: f32[48, 48] = random(2)
a = sin(x @ v)
b = choose(d, a @ w, cos(a) @ v)
y = choose(c, b @ w @ v, a * 2)
p, q, r = grad(sum(y * y), [x, v, w])
output p
output q
output r
)"},
    {"differentiated in a scan", R"(input c: bool[]
input d: bool[]
input x: f32[5, 4, 8]
param w: f32[8, 8] = random(1)
def step(states, parts, w):
    h = choose(c, tanh(states[0] @ w + parts[0]), choose(d, states[0] * parts[0], parts[0] @ w))
    return [[h], [h]]
last, rows = scan(step, [x[0]], [x], w)
y = choose(d, sum(last[0] * last[0]), sum(rows[0]))
p, q = grad(y, [x, w])
output p
output q
)"},
    {"equal computations in branches of two conditions", R"(input c: bool[]
input d: bool[]
input x: f32[32, 48]
param v: f32[48, 48] = random(1)
output choose(c, x @ v @ v @ v, x)
output choose(d, x @ v @ v @ v, x * 2)
)"},
    // An index that is out of range where it is not chosen is no error.
    {"an index", R"(input c: bool[]
input d: bool[]
input x: f32[8]
input at: i32[2]
big = at * 100 + 50
output choose(c & ~c, gather(x, big, axis = 0), x[:2])
output choose(d, 1, sum(x))
)"},
};

class Choices : public ProgramTest {
protected:
    // With a value for each condition.
    static std::vector<HostTensor> valuesOf(const Graph &graph, bool c, bool d)
    {
        std::vector<HostTensor> values = placeholderValues(graph, {}, 1).value();
        const std::vector<NodeId> given = graph.placeholders();
        for (std::size_t i = 0; i < given.size(); ++i) {
            const std::string &name = attributesOf<PlaceholderAttributes>(graph.node(given[i])).name;
            if (name == "c" || name == "d")
                values[i] = HostTensor::ofScalar(Scalar::of(DType::Bool, std::int64_t{name == "c" ? c : d}));
        }
        return values;
    }
};

TEST_F(Choices, giveTheirMeaningOnEveryDevice)
{
    for (const ChoiceProgram &program : kPrograms)
        for (const char *const device : kDevices) {
            if (!whyUnavailable(device).empty())
                continue;
            ProgramCompiler compiler(m_registry);
            const Compilation compilation = compiler.compile(requestOf(program.text, device), {});
            ASSERT_TRUE(compilation.succeeded) << program.name << toText(compilation.diagnostics);
            const GraphPtr graph = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
            for (int run = 0; run < 4; ++run) {
                SCOPED_TRACE(format("{} on {}, c {} d {}", program.name, device, run & 1, run >> 1));
                const std::vector<HostTensor> values = valuesOf(*graph, (run & 1) != 0, (run >> 1) != 0);
                const auto expected = meaningAndLimitsOf(graph, values);
                ASSERT_TRUE(expected) << toText(expected.error());
                auto devices = compiler.openedDevices(compilation);
                ASSERT_TRUE(devices);
                const auto executor = Executor::prepare(std::move(*devices), compilation.program, values);
                ASSERT_TRUE(executor) << toText(executor.error());
                const auto result = (*executor)->run({.warmup = 1, .repeats = 2}, {});
                ASSERT_TRUE(result) << toText(result.error());
                EXPECT_TRUE(result->faults.empty()) << toText(result->faults);
                for (std::size_t i = 0; i < expected->values.size(); ++i)
                    EXPECT_TRUE(expected->compared(i, result->outputs[i].value).equal) << "output " << i;
            }
        }
}

TEST_F(Choices, runOnlyTheKernelsOfTheChosenBranch)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kPrograms[0].text, "interpreter"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const Schedule &schedule = *compilation.schedule;
    for (const bool c : {false, true}) {
        auto devices = compiler.openedDevices(compilation);
        ASSERT_TRUE(devices);
        const auto executor = Executor::prepare(std::move(*devices), compilation.program, valuesOf(*compilation.graph, c, false));
        ASSERT_TRUE(executor) << toText(executor.error());
        std::uint64_t told = 0;
        const auto result =
            (*executor)->run({.warmup = 0, .repeats = 3}, {}, [&](std::uint64_t done, std::uint64_t) { told = done; });
        ASSERT_TRUE(result) << toText(result.error());
        EXPECT_EQ(told, 3 * schedule.kernels.size());
        std::size_t ran = 0;
        for (std::size_t item = 0; item < schedule.items.size(); ++item) {
            const std::vector<ItemCondition> &conditions = schedule.items[item].conditions;
            const bool isWanted = conditions.empty() || conditions.front().wanted == c;
            EXPECT_EQ(result->isSkipped[item], !isWanted) << titleOf(schedule, schedule.items[item]);
            if (const KernelId kernel = schedule.items[item].kernel(); kernel.isValid()) {
                EXPECT_EQ(result->kernels[kernel.value].runs, isWanted ? 3U : 0U);
                EXPECT_FALSE(conditions.empty());
                ran += isWanted ? 1 : 0;
            }
        }
        EXPECT_EQ(ran, c ? 2U : 1U);
    }
}

TEST_F(Choices, leaveCheapBranchesToASelectionInOneKernel)
{
    ProgramCompiler compiler(m_registry);
    const auto named = [](const ChoiceProgram &program) { return std::string_view(program.name) == "cheap"; };
    const Compilation compilation = compiler.compile(requestOf(std::ranges::find_if(kPrograms, named)->text, "interpreter"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(compilation.schedule->kernels.size(), 1U);
    for (const ScheduleItem &item : compilation.schedule->items)
        EXPECT_TRUE(item.conditions.empty());
}

TEST_F(Choices, keepAFaultOfTheChosenBranch)
{
    ProgramCompiler compiler(m_registry);
    const std::string text = "input c: bool[]\ninput x: f32[4]\nconst at: i32[1] = [9]\ninput k: i32[1]\n"
                             "output choose(c, gather(x, at + k * 0, axis = 0), x[:1])\n";
    const Compilation compilation = compiler.compile(requestOf(text, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    for (const bool c : {false, true}) {
        auto devices = compiler.openedDevices(compilation);
        ASSERT_TRUE(devices);
        const auto executor = Executor::prepare(std::move(*devices), compilation.program, valuesOf(*compilation.graph, c, false));
        ASSERT_TRUE(executor) << toText(executor.error());
        const auto result = (*executor)->run({}, {});
        ASSERT_TRUE(result) << toText(result.error());
        EXPECT_EQ(result->faults.size(), c ? 1U : 0U) << toText(result->faults);
    }
}

// Devices count faults in memory that all launches share: two kernels, of which the second has none, and two runs.
TEST_F(Choices, faultsAreOfTheirLaunch)
{
    const std::string text = "input x: f32[4]\ninput k: i32[2]\nconst far: i32[2] = [9, 1]\nconst near: i32[1] = [0]\n"
                             "a = contiguous(gather(x, far + k * 0, axis = 0))\noutput gather(a, near + k[:1] * 0, axis = 0)\n";
    for (const char *device : {"interpreter", "llvm", "c", "opencl"}) {
        if (!whyUnavailable(device).empty())
            continue;
        SCOPED_TRACE(device);
        ProgramCompiler compiler(m_registry);
        const Compilation compilation = compiler.compile(requestOf(text, device), {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        ASSERT_EQ(compilation.schedule->kernels.size(), 2U);
        auto devices = compiler.openedDevices(compilation);
        ASSERT_TRUE(devices);
        const auto executor =
            Executor::prepare(std::move(*devices), compilation.program, placeholderValues(*compilation.graph, {}, 1).value());
        ASSERT_TRUE(executor) << toText(executor.error());
        for (int run = 0; run < 2; ++run) {
            const auto result = (*executor)->run({}, {});
            ASSERT_TRUE(result) << toText(result.error());
            ASSERT_EQ(result->faults.size(), 1U) << toText(result->faults);
            EXPECT_NE(result->faults.front().message.find("index 9"), std::string::npos) << toText(result->faults);
            EXPECT_EQ(result->faults.front().message.find("such indices"), std::string::npos) << toText(result->faults);
        }
    }
}

// The slope of sqrt at 0 is infinite, and 0 times that is no number.
TEST_F(Choices, haveNoGradientWhereTheyWereNotChosen)
{
    ProgramCompiler compiler(m_registry);
    const std::string text = "input c: bool[]\ninput x: f32[4]\ny = x * 0\n"
                             "z = choose(c, sum(sqrt(y)), sum(x * 3))\noutput grad(z, [x])[0]\n";
    const Compilation compilation = compiler.compile(requestOf(text, "llvm"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    auto devices = compiler.openedDevices(compilation);
    ASSERT_TRUE(devices);
    const auto executor = Executor::prepare(std::move(*devices), compilation.program, valuesOf(*compilation.graph, false, false));
    ASSERT_TRUE(executor) << toText(executor.error());
    const auto result = (*executor)->run({}, {});
    ASSERT_TRUE(result) << toText(result.error());
    for (std::int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(result->outputs[0].value.at(i).asDouble(), 3);
}

TEST_F(Choices, giveNoValueOfABranchThatDidNotRun)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kPrograms[0].text, "interpreter"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const Schedule &schedule = *compilation.schedule;
    for (const ScheduleItem &item : schedule.items) {
        if (!item.kernel().isValid())
            continue;
        auto devices = compiler.openedDevices(compilation);
        ASSERT_TRUE(devices);
        const auto executor =
            Executor::prepare(std::move(*devices), compilation.program, valuesOf(*compilation.graph, true, false));
        ASSERT_TRUE(executor) << toText(executor.error());
        const BufferId buffer = schedule.kernel(item.kernel()).writes.front();
        const auto kept = (*executor)->runAndKeep({&buffer, 1}, {});
        ASSERT_TRUE(kept) << toText(kept.error());
        EXPECT_EQ(kept->front().has_value(), item.conditions.front().wanted);
    }
}

} // namespace
} // namespace sw::test
