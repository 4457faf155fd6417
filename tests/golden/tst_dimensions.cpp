// Programs with dimensions, compiled once: for every size they give the result of the program with that fixed size, to the last
// bit in strict mode, because the values beyond the real extents are neutral.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"

#include <gtest/gtest.h>

#include <ostream>

namespace sw::test {
namespace {

struct DimensionProgram {
    const char *name;
    const char *text; // the text after the line that declares n
};

void PrintTo(const DimensionProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr std::int64_t kLargest = 40;

constexpr DimensionProgram kPrograms[] = {
    {"layer", R"(input x: f32[n, 12]
param w: f32[12, 5] = random(1)
output softmax(relu(x @ w), axis = -1))"},
    {"attention", R"(input x: f32[n, 8]
scores = softmax(x @ x.T / sqrt(8), axis = -1)
output scores @ x)"},
    {"reductions", R"(input x: f32[n, 3]
output sum(x)
output max(x, axis = 0)
output min(x, axis = 0)
output mean(x, axis = 0)
output var(x, axis = 1)
output prod(x, axis = 0)
output argmax(x, axis = 0))"},
    {"places", R"(input x: f32[2 * n]
pairs = x.reshape(n, 2)
output pairs[::-1]
output cat([pairs, pairs[1:], ones([3, 2])])
output pad(pairs, [[1, 2], [0, 1]], value = 7)
output pairs.T
output pairs[:1]
output pairs[:-1].reshape(-1)
output arange(n) * n + n // 3 - n % 4)"},
    {"gradient", R"(input x: f32[n, 6]
input y: f32[n, 2]
param w: f32[6, 2] = random(3)
loss = mean((softmax(x @ w, axis = 0) - y) ** 2) + max(x) * sum(log(abs(x) + 1))
output loss
output grad(loss, w)
output grad(loss, x))"},
    {"two", R"(m: dim[1, 9] = 5
input x: f32[n, m]
input y: f32[m, n + 1]
output x @ y
output layer_norm(x, ones([m]), zeros([m]))
output where(x > 0, x, 0) + arange(m))"},
    {"composites", R"(input x: f32[n, 6]
input i: i32[n]
input key: u32[n, 2]
m = i % 5
at = where(m < 0, 0 - m, m)
output contract("ij,kj->ik", x, x)
output contract("ij,ik->jk", x, x)
output vectorize([x, x + 1])
output gep(x, [5, 0])
output assign(x, x * 2)
output assign(x, [x[:, 1:3] * 2], [[None, [2, 4]]])
output scatter(zeros([5], dtype = i32), at, i, axis = 0, mode = "add")
output scatter(x, expand(at.reshape(n, 1), [n, 2]), x[:, :2], axis = 1)
output threefry2x32(key = key, counter = key)
output uint4x32_to_prec_uniform(threefry4x32_light(key = i, counter = i + 1), f32)
output wmma(x.reshape(n, 2, 3), x.reshape(n, 3, 2), x[:, :4].reshape(n, 2, 2))
output gather(arange(6), at - 0 * i, axis = 0))"},
    {"composite_gradients", R"(input x: f32[n, 6]
input i: i32[n]
param w: f32[6, 4] = random(1)
y = contract("ij,jk->ik", x, w)
act = kernel(tanh(y) * 2, inputs = [y], name = "act")
counts = scatter(zeros([4]), clamp(i, 0, 3), x[:, 0], axis = 0, mode = "add")
loss = sum(act) + sum(vectorize([y, y * y])) + sum(assign(y, y * 3, [None, [0, 4]])) + sum(counts * counts)
output loss
output grad(loss, w)
output grad(loss, x))"},
    {"windows", R"(input x: f32[n, 3, 6]
input image: f32[n, 2, 7, 7]
param weight: f32[4, 2, 3, 3] = random(2)
output view(x, [n, 3, 4, 3], [18, 6, 1, 1])
output max(view(x, [n, 2, 2], [18, 6, 2], 1), axis = 2)
output sum(view(x, [2, n], [-1, 18], 5, [[0, 1], None]), axis = 1)
output view(x + 1, [2 * n, 3], [9, -2], 4)
output sum(view(x, [n, 3, 4, 3], [18, 6, 1, 1]), axis = 0)
y = relu(conv2d(image, weight, stride = 2, padding = 1))
output y
output max_pool2d(y, 2).reshape(n, 16))"},
    {"counting", R"(input x: f32[n]
output x * arange(3, n + 3)
output argmax(x)
output iota([n, 3])
output one_hot(arange(n) % 3, 3)
output sum(arange(n)) + arange(n))"},
    {"noise", R"(input x: f16[n, 4]
input i: i32[n]
output x.cast(f32) * i.reshape(n, 1)
output gather(arange(9) * 2, abs(i) % 9, axis = 0)
output any(x > 0.5, axis = 0))"},
};

// A sum over one element is that element if the extent is known, otherwise 0 is added; so 0 and -0 count as equal here.
std::string textOf(const Scalar &value)
{
    return isFloat(value.dtype()) && value.asDouble() == 0 ? "0" : toText(value);
}

class Dimensions : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, DimensionProgram>> {
protected:
    CompileRequest requestFor(const std::string &declaration) const
    {
        const auto &[device, program] = GetParam();
        CompileRequest request = ProgramTest::requestFor("dimensions.sw", device, CompileUntil::Machine);
        request.program.isText = true;
        request.program.text = declaration + "\n" + program.text + "\n";
        request.options.strict = true;
        request.options.contract = false;
        return request;
    }

    Result<ExecutionResult> runWith(ProgramCompiler &compiler, const Compilation &compilation, const SymbolicBindings &wanted)
    {
        SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, 7, wanted));
        SW_TRY(OpenedDevice *const device, compiler.openedDevice(std::get<0>(GetParam()), 0));
        SW_TRY(const auto executor, Executor::prepare(*device, compilation.program, values, wanted));
        return executor->run({.warmup = 0, .repeats = 1}, {});
    }
};

TEST_P(Dimensions, everySizeGivesWhatItsOwnProgramGives)
{
    if (const std::string reason = whyUnavailable(std::get<0>(GetParam())); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    const Compilation symbolic = compiler.compile(requestFor(format("n: dim[1, {}]", kLargest)), {});
    ASSERT_TRUE(symbolic.succeeded) << toText(symbolic.diagnostics);
    for (const std::int64_t size : {std::int64_t{1}, std::int64_t{2}, std::int64_t{17}, kLargest}) {
        const auto outputs = runWith(compiler, symbolic, {{"n", size}});
        ASSERT_TRUE(outputs) << toText(outputs.error());
        const Compilation fixed = compiler.compile(requestFor(format("n = {}", size)), {});
        ASSERT_TRUE(fixed.succeeded) << toText(fixed.diagnostics);
        const auto expected = runWith(compiler, fixed, {});
        ASSERT_TRUE(expected) << toText(expected.error());
        ASSERT_EQ(outputs->outputs.size(), expected->outputs.size());
        for (std::size_t i = 0; i < expected->outputs.size(); ++i) {
            const HostTensor &wanted = expected->outputs[i].value;
            const HostTensor &found = outputs->outputs[i].value;
            ASSERT_EQ(typeText(found.dtype(), found.shape()), typeText(wanted.dtype(), wanted.shape()));
            for (std::int64_t at = 0; at < wanted.elements(); ++at)
                ASSERT_EQ(textOf(found.at(at)), textOf(wanted.at(at)))
                    << "n = " << size << ", output " << i << ", element " << at;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Dimensions,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &test) { return format("{}_{}", std::get<1>(test.param).name, std::get<0>(test.param)); });

// Counting along an axis is index arithmetic: however large a dimension may be, compiling takes no memory for it.
TEST_F(ProgramTest, largeDimensionsNeedNoTable)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("dimensions.sw", "llvm", CompileUntil::Code);
    request.program.isText = true;
    request.program.text = "n: dim[1, 10000000000]\ninput x: f32[n]\noutput sum(x) / n\noutput max(x[::-1])\n"
                           "output sum(x * arange(n, dtype = f32))\n";
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    for (const Node &node : compilation.graph->nodes()) {
        EXPECT_NE(node.kind, NodeKind::Vconst);
    }
    // Running takes none either: masks are made where they are read.
    for (const ScheduledBuffer &buffer : compilation.schedule->buffers) {
        EXPECT_TRUE(buffer.role == BufferRole::Input || buffer.shape.elements() < 1000000000) << buffer.name;
    }
}

// A run may loop up to the largest extents, so there is a limit to how large they may be.
TEST_F(ProgramTest, dimensionsBeyondAnyRunAreNamed)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("dimensions.sw", "llvm", CompileUntil::Code);
    request.program.isText = true;
    request.program.text = "n: dim[1, 1000000000000]\noutput sum(arange(n, dtype = f32))\n";
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_FALSE(compilation.succeeded);
    const Diagnostic &error = compilation.diagnostics.front();
    EXPECT_EQ(error.code, Code::Limit);
    EXPECT_NE(error.message.find("[1000000000000] of [n]"), std::string::npos) << error.message;
    EXPECT_EQ(error.where.line, 2U);
}

class DimensionErrors : public ProgramTest {
protected:
    DimensionErrors() : m_compiler(m_registry)
    {
        CompileRequest request = requestFor("dimensions.sw", "interpreter", CompileUntil::Machine);
        request.program.isText = true;
        request.program.text =
            "n: dim[2, 8] = 3\nm: dim[0, 4]\ninput x: f32[n, m]\ninput y: f32[2 * n]\noutput sum(x) + sum(y)\n";
        m_compilation = m_compiler.compile(request, {});
    }

    std::string errorOf(std::vector<NamedTensor> given, const SymbolicBindings &wanted = {})
    {
        const auto values = placeholderValues(*m_compilation.graph, given, 1, wanted);
        return values ? "" : values.error().front().message;
    }
    static NamedTensor tensor(const char *name, Shape shape) { return {name, HostTensor(DType::F32, std::move(shape))}; }

    ProgramCompiler m_compiler;
    Compilation m_compilation;
};

TEST_F(DimensionErrors, nameTheShapeAndTheDimension)
{
    ASSERT_TRUE(m_compilation.succeeded) << toText(m_compilation.diagnostics);
    EXPECT_EQ(errorOf({tensor("x", {5, 4})}), "");
    EXPECT_EQ(errorOf({tensor("x", {5, 4}), tensor("y", {10})}), "");
    EXPECT_EQ(errorOf({tensor("x", {9, 4})}), "n is 9 where n is 9, but its bounds are 2 and 8");
    EXPECT_EQ(errorOf({tensor("y", {7})}), "2*n cannot be 7: n would not be an integer");
    EXPECT_EQ(errorOf({tensor("x", {4, 1}), tensor("y", {10})}), "2*n is 8, but 10 was given");
    EXPECT_EQ(errorOf({tensor("x", {4})}), "input \"x\" is f32[n, m], but the tensor given for it has shape [4]");
    EXPECT_EQ(errorOf({}, {{"k", 1}}), "the program has no dimension \"k\"; it has m, n");
    EXPECT_EQ(errorOf({}, {{"n", 1}}), "the dimension n cannot be 1: it lies between 2 and 8");
    EXPECT_EQ(errorOf({tensor("x", {4, 1})}, {{"n", 5}}), "n is 4, but 5 was given");
}

TEST_F(DimensionErrors, dimensionsAreWhatTheProgramSaysWhereNothingElseDoes)
{
    const auto values = placeholderValues(*m_compilation.graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    EXPECT_EQ(values->at(0).shape(), (Shape{3, 4}));
    EXPECT_EQ(values->at(1).shape(), (Shape{6}));
}

} // namespace
} // namespace sw::test
