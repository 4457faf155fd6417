// Extreme shapes on every device: no elements, no axes, many axes, axes of one element, reductions over nothing, and values that
// are stored into themselves.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <ostream>

namespace sw::test {
namespace {

struct EdgeProgram {
    const char *name;
    const char *text;
    const char *expected; // all the outputs, if known; otherwise the meaning of the graph decides
};

void PrintTo(const EdgeProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr EdgeProgram kPrograms[] = {
    {"no_elements", R"(input x: f32[0, 5]
input y: f32[3, 0]
output exp(x) + 1
output x.T
output pad(x, [[1, 1], [0, 0]], value = 2)
output cat([x, ones([2, 5]), x])
output y @ x
output x.reshape(5, 0)
output sum(y, axis = 1, keepdims = true) + ones([3, 1])
output gather(x, vconst([[1, 2], [0, 3]])[:0], axis = 1)
output scatter(ones([2, 0]), zeros([1, 0], dtype = i32), zeros([1, 0]), axis = 0)
output index(ones([4]), zeros([0], dtype = i32)))",
     nullptr},
    {"over_nothing", R"(input x: f32[0]
input i: i32[0]
input u: u8[0]
input b: bool[0]
input h: f16[0]
input e: f8e4m3[0]
output sum(x)
output prod(x)
output max(x)
output min(x)
output sum(i)
output prod(i)
output max(i)
output min(i)
output max(u)
output min(u)
output max(b)
output min(b)
output all(b)
output any(b)
output max(h)
output min(h)
output max(e)
output min(e))",
     "0 1 -inf inf 0 1 -2147483648 2147483647 0 255 false true true false -inf inf -448 448"},
    {"rows_of_nothing", R"(input x: f32[3, 0]
output max(x, axis = 1)
output sum(x, axis = 1)
output softmax(x, axis = 1)
output mean(x, axis = 0))",
     nullptr},
    {"rank_0", R"(input x: f32[]
input i: i32[]
output x * 2 + i
output x.reshape(1, 1)
output expand(x.reshape(1, 1), [2, 3])
output contract(",->", x, x)
output sum(x)
output where(x > 0, x, -x)
output vectorize([x, x + 1])
output assign(x, x + 1)
output index(vconst([7, 8, 9]), clamp(i, 0, 2)))",
     nullptr},
    {"rank_8", R"(input x: f32[2, 1, 3, 2, 1, 2, 3, 2]
output permute(x, [7, 6, 5, 4, 3, 2, 1, 0]) * 2
output sum(x, axis = [0, 2, 5])
output flip(x, axis = [0, 3, 6])
output x[1:, :, ::2, :, :, 1:, :, :1]
output pad(x, [[0, 0], [1, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 1], [0, 0]])
output cat([x, x], axis = 4)
output softmax(x, axis = 6)
output argmax(x, axis = 2))",
     nullptr},
    {"axes_of_one", R"(input x: f32[1, 1, 7, 1]
input y: f32[1, 4, 1, 1]
output x + y
output sum(x, axis = [0, 1, 3])
output max(x, axis = 2)
output (x * y).reshape(4, 7).T
output permute(x, [3, 2, 1, 0]) @ y.reshape(1, 1, 4)
output scatter(x, zeros([1, 1, 1, 1], dtype = i32), ones([1, 1, 1, 1]), axis = 2)
output expand(y, [5, 4, 3, 2]) - 1)",
     nullptr},
    {"one_range_over_another", R"(x = arange(6)
output assign(x, [vconst([10, 11, 12]), vconst([20, 21, 22])], [[[1, 4]], [[2, 5]]]))",
     "0 10 20 21 22 5"},
    // Stores read the target as it was before, whatever has been stored since.
    {"stored_into_itself", R"(x = arange(6) + 0
output assign(x, [x[0:3], x[3:6]], [[[3, 6]], [[0, 3]]])
output assign(x, x[::-1])
output assign(x, [x[0:5], x[0:2]], [[[1, 6]], [[0, 2]]])
y = assign(x, x * 2, [[0, 6]])
output assign(y, [x[1:3], y[1:3]], [[[0, 2]], [[4, 6]]])
output x)",
     "3 4 5 0 1 2 5 4 3 2 1 0 0 1 1 2 3 4 1 2 4 6 2 4 0 1 2 3 4 5"},
    {"empty_range", R"(x = arange(4)
output assign(x, [vconst([9, 9])[:0], vconst([7])], [[[2, 2]], [[3, 4]]]))",
     "0 1 2 7"},
};

class Edges : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, EdgeProgram>> {};

std::string textOf(const HostTensor &value)
{
    std::string text;
    for (std::int64_t i = 0; i < value.elements(); ++i) {
        const std::string element = toText(value.at(i));
        text += (text.empty() ? "" : " ") + (element.ends_with(".0") ? element.substr(0, element.size() - 2) : element);
    }
    return text;
}

TEST_P(Edges, giveWhatTheyMean)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("edges.sw", device, CompileUntil::Machine);
    request.program.isText = true;
    request.program.text = format("{}\n", program.text);
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const GraphPtr graph = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
    const auto values = placeholderValues(*graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const auto meant = meaningAndLimitsOf(graph, *values);
    ASSERT_TRUE(meant) << toText(meant.error());
    const auto found = run(compiler, request);
    ASSERT_TRUE(found) << toText(found.error());
    EXPECT_TRUE(found->faults.empty()) << toText(found->faults);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < meant->values.size(); ++i) {
        const HostTensor &actual = found->outputs[i].value;
        EXPECT_TRUE(meant->compared(i, actual).equal)
            << "output " << i << ": " << textOf(actual) << ", expected " << textOf(meant->values[i]);
        texts.push_back(textOf(actual));
    }
    if (program.expected != nullptr) {
        EXPECT_EQ(join(texts, " "), program.expected);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Edges,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &test) { return format("{}_{}", std::get<1>(test.param).name, std::get<0>(test.param)); });

} // namespace
} // namespace sw::test
