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

class Scans : public ProgramTest {
protected:
    [[nodiscard]] CompileRequest requestOf(const std::string &text, const std::string &device) const
    {
        CompileRequest request = requestFor("scan.sw", device);
        request.program.isText = true;
        request.program.text = text;
        return request;
    }
};

TEST_F(Scans, giveTheirMeaningOnEveryDeviceInEachRun)
{
    for (const ScanProgram &program : kPrograms)
        for (const char *const device : kDevices) {
            if (!whyUnavailable(device).empty())
                continue;
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
