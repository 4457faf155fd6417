// Scans on every device: each run begins anew, carried values do not disturb each other, and a long recurrence is compiled as
// fast as a short one.

#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include "engine/execute/input_values.h"
#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

struct ScanProgram {
    const char *name;
    const char *text;
};

constexpr ScanProgram kPrograms[] = {
    {"recurrent", R"(input x: f32[90, 4, 24]
param w: f32[24, 24] = random(2)
def step(states, parts, w):
    h = tanh(parts[0] + states[0] @ w * 0.2)
    return [[h], [h]]
last, rows = scan(step, [zeros([4, 24])], [x], w)
output last[0]
output rows[0]
)"},
    {"exchanged", R"(input x: f32[7, 33]
input start: f32[33]
def step(states, parts):
    a, b, c, d = states
    return [[b, a, c, d + parts[0]], [a + parts[0] * c, d]]
last, rows = scan(step, [start, start * 2, start, x[3]], [x], backwards = true)
output cat(last)
output rows[0]
output sum(rows[1], axis = 0)
)"},
    // A value outside of the body costs once, whatever its place in the text; a scan reads what another one gives.
    {"chained", R"(input x: f32[5, 3, 8]
def step(states, parts, w):
    outside = exp(w) / sum(exp(w))
    return [[states[0] * outside + sum(parts[0], axis = 0)], [softmax(states[0])]]
a, b = scan(step, [ones([8])], [x], x[0, 0])
def next(states, parts, w):
    return [[maximum(states[0], parts[0] + w), states[0] > parts[0]], [reversed([parts[0]])[0][::-1], parts[1] * 2]]
c, d = scan(next, [a[0], zeros([8]) > 1], [b[0], arange(5)], a[0])
output c[0]
output c[1]
output d[0]
output d[1]
output b[0]
)"},
    // As many elements count as the data say.
    {"counted", R"(input x: f32[9, 5, 8]
def step(states, parts, w):
    h = tanh(parts[0] + states[0] * w)
    return [[h], [h * 2, h > 0]]
last, rows = scan(step, [ones([5, 8])], [x], x[0, 0], backwards = true, count = sum(x[:, 0, 0] > 0))
output last[0]
output rows[0]
output rows[1]
)"},
    {"one in another", R"(input x: f32[8, 3, 20]
def inner(s, p, w):
    return [[tanh(s[0] * w + p[0])], [s[0]]]
def outer(s, p):
    last, rows = scan(inner, [s[0]], [p[0]], s[0] * 0.1)
    return [last, [rows[0]]]
last, rows = scan(outer, [zeros([20])], [x])
output last[0]
output rows[0]
)"},
    {"nothing carried", R"(input x: f32[6, 3, 4]
def step(states, parts):
    return [[], [parts[0] @ parts[1]]]
last, rows = scan(step, [], [x, x.permute([0, 2, 1])])
output rows[0]
)"},
    // Backwards, each step is computed again from the states that it began with.
    {"differentiated", R"(input x: f32[12, 4, 8]
input start: f32[4, 8]
param w: f32[8, 8] = random(2)
def step(states, parts, w):
    h = tanh(parts[0] + states[0] @ w * 0.3)
    return [[h, states[1] + h], [h * states[1]]]
last, rows = scan(step, [start, start * 0.5], [x], w)
loss = sum(last[1] * last[1]) + sum(sin(rows[0]))
a, b, c = grad(loss, [x, start, w])
output a
output b
output c
output sum(last[0])
)"},
    {"small and empty", R"(input x: i32[9]
input none: f32[9, 0]
def step(states, parts):
    return [[states[0] * 3 + parts[0]], [states[0], parts[1]]]
last, rows = scan(step, [cast(1, i32).reshape([])], [x, none])
output last[0]
output rows[0]
output rows[1]
)"},
};

// They end when the data say so: at once, after some steps, at a bound. What they read is random, in [-1, 1].
constexpr ScanProgram kLoops[] = {
    {"until it is small", R"(input x: f32[33]
def goes_on(states):
    return max(abs(states[0])) > 0.01
def body(states):
    return [states[0] * 0.7, states[1] + 1]
y, steps = while_loop(goes_on, body, [x, 0])
output y
output steps
)"},
    {"never", R"(input x: f32[4]
def goes_on(states):
    return sum(states[0]) > 100
def body(states):
    return [states[0] * 2]
output while_loop(goes_on, body, [x])[0] + 1
)"},
    {"to a bound", R"(input x: f32[4, 8]
param w: f32[8, 8] = random(2)
def goes_on(states, w):
    return all(states[0] < 1e6)
def body(states, w):
    a, b = states
    return [b @ w, a + 1]
a, b = while_loop(goes_on, body, [x, x * 2], w, most = 9)
output a
output b
)"},
    {"greatest common divisor", R"(input seeds: i32[2]
def goes_on(states):
    return states[1] != 0
def body(states):
    return [states[1], states[0] % states[1]]
a, b = while_loop(goes_on, body, [seeds[0] * 12 + 60, seeds[1] * 30 + 90])
output a
)"},
    // Rows of steps that are not made are 0, also those that the run before has written elsewhere in that memory.
    {"with rows", R"(input x: f32[40, 16]
number = scan_number()
state = scan_carry(zeros([16]), number, 40, 0, condition = 1)
goes_on = scan_carry(sum(x) > -1000, number, 40, 1, condition = 1)
part = scan_slice(x, number, 40, condition = 1)
made = where(goes_on, state + abs(part), state)
nexts = [made, goes_on & (sum(made) < 60)]
states = where(goes_on, made, 0)
parts = where(goes_on, part, 0)
output scan_last(nexts, number, 40, 0, condition = 1)
output scan_rows(nexts, states, number, 40, condition = 1)
output scan_rows(nexts, parts, number, 40, true, condition = 1)
)"},
    // The condition that a step hands on is another of the values that it began with, and is its own in no step.
    {"by the step before", R"(input x: f32[8]
number = scan_number()
state = scan_carry(x, number, None, 0, condition = 2)
before = scan_carry(sum(x) > -1000, number, None, 1, condition = 2)
unread = scan_carry(sum(x) > -1000, number, None, 2, condition = 2)
made = where(before, state * 0.5, state)
nexts = [made, before & (max(abs(made)) > 0.1), before]
output scan_last(nexts, number, None, 0, condition = 2)
)"},
};

class Scans : public ProgramTest {
protected:
    // Three runs, one after the other, give what the graph means.
    void expectMeaning(const ScanProgram &program, const std::string &device)
    {
        if (!whyUnavailable(device).empty())
            return;
        SCOPED_TRACE(format("{} on {}", program.name, device));
        ProgramCompiler compiler(m_registry);
        const Compilation compilation = compiler.compile(requestOf(program.text, device), {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const GraphPtr graph = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
        const auto values = placeholderValues(*graph, {}, 1);
        ASSERT_TRUE(values);
        const auto expected = meaningAndLimitsOf(graph, *values);
        ASSERT_TRUE(expected) << toText(expected.error());
        auto devices = compiler.openedDevices(compilation);
        ASSERT_TRUE(devices);
        const auto executor = Executor::prepare(std::move(*devices), compilation.program, *values);
        ASSERT_TRUE(executor) << toText(executor.error());
        const auto result = (*executor)->run({.warmup = 1, .repeats = 2}, {});
        ASSERT_TRUE(result) << toText(result.error());
        ASSERT_EQ(result->outputs.size(), expected->values.size());
        for (std::size_t i = 0; i < expected->values.size(); ++i)
            EXPECT_TRUE(expected->compared(i, result->outputs[i].value).equal) << "output " << i;
    }
};

TEST_F(Scans, giveTheirMeaningOnEveryDeviceInEachRun)
{
    for (const ScanProgram &program : kPrograms)
        for (const char *const device : kDevices)
            expectMeaning(program, device);
}

TEST_F(Scans, endWhenTheirConditionNoLongerHolds)
{
    for (const ScanProgram &program : kLoops)
        for (const char *const device : kDevices)
            expectMeaning(program, device);
}

TEST_F(Scans, repeatTheItemsOfTheirBody)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kPrograms[0].text, "interpreter"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    ASSERT_EQ(compilation.schedule->repeats.size(), 1U);
    const RepeatedItems &repeat = compilation.schedule->repeats.front();
    EXPECT_EQ(repeat.steps, 90);
    EXPECT_LE(repeat.end - repeat.first, 6U);
    const std::string text = printSchedule(*compilation.schedule).text;
    EXPECT_NE(text.find(format("repeat items {} to {}, 90 steps of scan 0", repeat.first, repeat.end - 1)), std::string::npos)
        << text;
}

TEST_F(Scans, makeNoStepBehindTheirEnd)
{
    constexpr const char *kHalving = "input x: f32[]\ndef goes_on(s):\n    return s[0] > 1\ndef body(s):\n"
                                     "    return [s[0] * 0.5, s[1] + 1]\noutput while_loop(goes_on, body, [x, 0])[1]\n";
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestOf(kHalving, "llvm");
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const RepeatedItems &repeat = compilation.schedule->repeats.front();
    ASSERT_TRUE(repeat.condition.isValid());
    EXPECT_NE(printSchedule(*compilation.schedule)
                  .text.find(format("repeat items {} to {}, unbounded steps of scan 0, while {} holds", repeat.first,
                                    repeat.end - 1, compilation.schedule->buffer(repeat.condition).name)),
              std::string::npos)
        << printSchedule(*compilation.schedule).text;
    for (const auto &[x, steps] : {std::pair(1000.0, 10), std::pair(1.5, 1), std::pair(0.5, 1)}) {
        const HostTensor value = HostTensor::ofValues(DType::F32, {}, {{x}});
        auto devices = compiler.openedDevices(compilation);
        const auto executor = Executor::prepare(std::move(*devices), compilation.program, {{value}});
        ASSERT_TRUE(executor) << toText(executor.error());
        const auto result = (*executor)->run({.warmup = 1, .repeats = 2}, {});
        ASSERT_TRUE(result) << toText(result.error());
        EXPECT_EQ(result->outputs.front().value.at(0).asInt(), x > 1 ? steps : 0);
        EXPECT_EQ(result->stepsMade, (std::vector<std::int64_t>{steps}));
    }
}

TEST_F(Scans, withAConditionHaveNoGradient)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(
        requestOf(
            "const x: f32[3] = [1, 2, 3]\ndef goes_on(s):\n    return sum(s[0]) > 1\ndef body(s):\n    return [s[0] * 0.5]\n"
            "y = while_loop(goes_on, body, [x])[0]\noutput grad(sum(y), [x])[0]\n",
            "llvm"),
        {});
    EXPECT_FALSE(compilation.succeeded);
    ASSERT_FALSE(compilation.diagnostics.empty());
    EXPECT_NE(compilation.diagnostics.front().message.find("there is no gradient of a loop that ends when its condition"),
              std::string::npos)
        << toText(compilation.diagnostics);
}

TEST_F(Scans, sayWhatIsWrongWithALoop)
{
    const auto message = [this](const std::string &condition, const std::string &body) {
        ProgramCompiler compiler(m_registry);
        const Compilation made =
            compiler.compile(requestOf(format("input x: f32[3]\ndef goes_on(s):\n    return {}\ndef body(s):\n    return {}\n"
                                              "output while_loop(goes_on, body, [x])[0]\n",
                                              condition, body),
                                       "interpreter"),
                             {});
        return made.succeeded ? std::string() : toText(made.diagnostics);
    };
    EXPECT_NE(message("s[0] > 1", "[s[0]]").find("the condition of a while_loop has the type bool and shape [3] and is one bool"),
              std::string::npos)
        << message("s[0] > 1", "[s[0]]");
    EXPECT_NE(message("sum(s[0]) > 1", "[s[0], s[0]]").find("the body of a while_loop has 1 states and returns 2"),
              std::string::npos);
    EXPECT_NE(
        message("sum(s[0]) > 1", "[s[0][:2]]").find("the body of a while_loop makes the type f32 and shape [2] of a state of"),
        std::string::npos);
}

TEST_F(Scans, aFaultOfAStepIsReported)
{
    ProgramCompiler compiler(m_registry);
    const auto result = run(compiler, requestOf("input x: f32[4]\nconst at: i32[3, 1] = [[0], [9], [3]]\ndef f(s, p):\n"
                                                "    return [[s[0] + gather(x, p[0], axis = 0)], []]\n"
                                                "output scan(f, [zeros([1])], [at])[0][0]\n",
                                                "llvm"));
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->faults.size(), 1U);
    EXPECT_NE(result->faults.front().message.find("index 9"), std::string::npos) << toText(result->faults);
}

} // namespace
} // namespace sw::test
