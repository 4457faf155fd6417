// grad in programs: known values, every function of the library against central differences in f64, and training.

#include "engine/execute/input_values.h"
#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/graph/gradients_scan.h"
#include "tests/support/meaning.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sw::test {
namespace {

constexpr double kStep = 1e-5;
constexpr double kTolerance = 2e-6;

// Outputs of a program whose gradients are written out.
std::vector<HostTensor> outputsOf(const Graph &graph, std::span<const HostTensor> inputs)
{
    const auto outputs = meaningOf(graph, inputs);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? *outputs : std::vector<HostTensor>{};
}

HostTensor moved(const HostTensor &tensor, std::int64_t element, double distance)
{
    HostTensor out(tensor.dtype(), tensor.shape());
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, i == element ? Scalar::of(DType::F64, tensor.at(i).asDouble() + distance) : tensor.at(i));
    return out;
}

// Output 0 is the loss, the others are its gradients with respect to the inputs of f64, in order.
void expectRightGradients(const std::string &program)
{
    const ProgramResult compiled = compileText(program);
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics) << "in\n" << program;
    const Graph &graph = *compiled.graph;
    const auto inputs = placeholderValues(graph, {}, 3);
    ASSERT_TRUE(inputs);
    const std::vector<HostTensor> found = outputsOf(graph, *inputs);
    std::size_t next = 1;
    for (std::size_t k = 0; k < inputs->size(); ++k) {
        const HostTensor &input = (*inputs)[k];
        if (input.dtype() != DType::F64)
            continue;
        ASSERT_LT(next, found.size()) << program;
        const HostTensor &gradient = found[next++];
        for (std::int64_t element = 0; element < input.elements(); ++element) {
            std::vector<HostTensor> other = *inputs;
            other[k] = moved(input, element, kStep);
            const double above = outputsOf(graph, other).front().at(0).asDouble();
            other[k] = moved(input, element, -kStep);
            const double expected = (above - outputsOf(graph, other).front().at(0).asDouble()) / (2 * kStep);
            ASSERT_NEAR(gradient.at(element).asDouble(), expected, kTolerance * std::max(1.0, std::abs(expected)))
                << "input " << k << " element " << element << " of\n"
                << program;
        }
    }
    EXPECT_EQ(next, found.size());
}

struct LibraryCase {
    std::string_view name;   // of the function
    std::string_view inputs; // besides x
    std::string_view value;
    std::string_view wanted; // what gradients are taken of, as a list
};

constexpr std::array kLibrary = {
    LibraryCase{"leaky_relu", "", "leaky_relu(x)", "[x]"},
    LibraryCase{"elu", "", "elu(x)", "[x]"},
    LibraryCase{"softplus", "", "softplus(x)", "[x]"},
    LibraryCase{"sigmoid", "", "sigmoid(x)", "[x]"},
    LibraryCase{"silu", "", "silu(x)", "[x]"},
    LibraryCase{"log1p", "", "log1p(x * x)", "[x]"},
    LibraryCase{"expm1", "", "expm1(x)", "[x]"},
    LibraryCase{"tan", "", "tan(x)", "[x]"},
    LibraryCase{"asin", "", "asin(x * 0.5)", "[x]"},
    LibraryCase{"acos", "", "acos(x * 0.5)", "[x]"},
    LibraryCase{"atan", "", "atan(x * 4)", "[x]"},
    LibraryCase{"sinh", "", "sinh(x * 2)", "[x]"},
    LibraryCase{"cosh", "", "cosh(x)", "[x]"},
    LibraryCase{"asinh", "", "asinh(x * 2)", "[x]"},
    LibraryCase{"acosh", "", "acosh(x * x + 1.5)", "[x]"},
    LibraryCase{"atanh", "", "atanh(x * 0.5)", "[x]"},
    LibraryCase{"gelu", "", "gelu(x) + gelu(x, approximate = \"tanh\")", "[x]"},
    LibraryCase{"clamp", "", "clamp(x, -0.5, 0.25)", "[x]"},
    LibraryCase{"softmax", "", "softmax(x) + softmax(x, axis = 0)", "[x]"},
    LibraryCase{"log_softmax", "", "log_softmax(x)", "[x]"},
    LibraryCase{"logsumexp", "", "logsumexp(x, axis = 1)", "[x]"},
    LibraryCase{"layer_norm", "input w: f64[6]\ninput b: f64[6]\n", "layer_norm(x, w, b)", "[x, w, b]"},
    LibraryCase{"rms_norm", "input w: f64[6]\n", "rms_norm(x, w)", "[x, w]"},
    LibraryCase{"batch_norm", "input m: f64[6]\ninput v: f64[6]\n", "batch_norm(x, m, v * v)", "[x, m, v]"},
    LibraryCase{"mean", "", "mean(x, axis = 0)", "[x]"},
    LibraryCase{"var", "", "var(x, axis = 1, ddof = 1)", "[x]"},
    LibraryCase{"std", "", "std(x)", "[x]"},
    LibraryCase{"matmul", "input w: f64[6, 3]\n", "x @ w", "[x, w]"},
    LibraryCase{"linear", "input w: f64[6, 3]\ninput b: f64[3]\n", "linear(x, w, b)", "[x, w, b]"},
    LibraryCase{"feed_forward", "input v: f64[6, 3]\ninput a: f64[3]\ninput w: f64[3, 2]\ninput b: f64[2]\n",
                "feed_forward(x, v, a, w, b)", "[x, v, a, w, b]"},
    LibraryCase{"embedding", "input ids: u8[2, 2]\n", "embedding(x, ids % 4)", "[x]"},
    LibraryCase{"attention", "input k: f64[5, 6]\ninput v: f64[5, 2]\n", "attention(x, k, v)", "[x, k, v]"},
    LibraryCase{"causal_mask", "input v: f64[4, 2]\n", "attention(x, x, v, causal = true)", "[x, v]"},
    LibraryCase{"multi_head_attention", "input q: f64[6, 6]\ninput o: f64[6, 6]\n",
                "multi_head_attention(x, q, q + 0.5, o, o, heads = 2, causal = true)", "[x, q, o]"},
    LibraryCase{"split_heads", "", "split_heads(x, 3)", "[x]"},
    LibraryCase{"conv2d", "input w: f64[2, 1, 2, 3]\ninput b: f64[2]\n",
                "conv2d(x.reshape([1, 1, 4, 6]), w, b, stride = [1, 2], padding = 1)", "[x, w, b]"},
    LibraryCase{"windows2d", "", "windows2d(x.reshape([1, 1, 4, 6]), [2, 3], dilation = [1, 2])", "[x]"},
    LibraryCase{"max_pool2d", "", "max_pool2d(x.reshape([1, 2, 3, 4]), 2, stride = 1)", "[x]"},
    LibraryCase{"avg_pool2d", "", "avg_pool2d(x.reshape([1, 2, 3, 4]), 2, stride = 1, padding = 1)", "[x]"},
    LibraryCase{"pad2d", "", "pad2d(x, [1, 2])", "[x]"},
    LibraryCase{"mse", "input y: f64[4, 6]\n", "mse(x, y)", "[x, y]"},
    LibraryCase{"cross_entropy", "input labels: i32[4]\n", "cross_entropy(x, labels % 6)", "[x]"},
    LibraryCase{"one_hot", "input labels: i32[4]\n", "x * one_hot(labels, 6, dtype = f64)", "[x]"},
    LibraryCase{"stack", "", "stack([x, x * x], axis = 1)", "[x]"},
    LibraryCase{"split", "", "split(x, 2, axis = 1)[1]", "[x]"},
    LibraryCase{"swapaxes", "", "swapaxes(x, 0, 1)", "[x]"},
    LibraryCase{"expand_dims", "", "expand_dims(x, 1)", "[x]"},
    LibraryCase{"squeeze", "", "squeeze(x.reshape([4, 1, 6]))", "[x]"},
    LibraryCase{"flatten", "", "flatten(x)", "[x]"},
    LibraryCase{"scan",
                "input w: f64[6, 6]\ndef step(s, p, w):\n    h = tanh(p[0] + s[0] @ w * 0.2)\n"
                "    return [[h, s[0] * s[1]], [h * s[1]]]\n",
                "scan(step, [x[0], x[1] + 1], [x], w, backwards = true)[1][0]", "[x, w]"},
    LibraryCase{"scan", "def step(s, p):\n    return [[s[0] * p[0]], [tanh(s[0])]]\n",
                "scan(step, [x[0]], [x], count = 2, backwards = true)[1][0]", "[x]"},
    LibraryCase{"written_scan",
                "input w: f64[6, 6]\ndef step(s, p, w):\n    h = tanh(p[0] + s[0] @ w * 0.2)\n"
                "    return [[h, s[0] * s[1]], [h * s[1]]]\n",
                "written_scan(step, [x[0], x[1] + 1], [x], w, 4, true, 3)[1][0]", "[x, w]"},
};

// Functions that take integers, give integers or bool, or help others while tracing.
constexpr std::array<std::string_view, 9> kWithoutGradient = {"distances", "all",           "any",         "argmax",    "argmin",
                                                              "pair",      "window_counts", "first_place", "while_loop"};

// The weights of the first loss make every element count for another amount.
std::string programOf(const LibraryCase &function, std::string_view loss)
{
    std::string program = format("input x: f64[4, 6]\n{}value = {}\nfirst = sum(value * cos(cast(iota(value.shape), f64)))\n{}\n"
                                 "output loss\nslopes = grad(loss, {})\n",
                                 function.inputs, function.value, loss, function.wanted);
    for (std::ptrdiff_t i = 0; i <= std::ranges::count(function.wanted, ','); ++i)
        program += format("output slopes[{}]\n", i);
    return program;
}

TEST(LanguageGradients, agreeWithDifferencesForTheLibrary)
{
    for (const LibraryCase &function : kLibrary)
        expectRightGradients(programOf(function, "loss = first"));
}

TEST(LanguageGradients, canBeDifferentiatedAgainForTheLibrary)
{
    for (const LibraryCase &function : kLibrary)
        expectRightGradients(
            programOf(function, "slope = grad(first, x)\nloss = sum(slope * sin(cast(iota(slope.shape), f64))) + sum(x * x)"));
}

TEST(LanguageGradients, haveACaseForEveryFunctionOfTheLibrary)
{
    for (const auto &entry : std::filesystem::directory_iterator(resourceFolder() / "library")) {
        if (entry.path().extension() != ".sw")
            continue;
        const std::string name = entry.path().stem().string();
        const bool isShown = std::ranges::find(kLibrary, name, &LibraryCase::name) != kLibrary.end();
        const bool isExcused = std::ranges::find(kWithoutGradient, name) != kWithoutGradient.end();
        EXPECT_NE(isShown, isExcused) << name;
    }
}

TEST(LanguageGradients, areExplainedByTheDocument)
{
    const std::string document = readText(resourceFolder() / "docs/differentiation.md");
    const auto expectRow = [&document](std::string_view name, std::string_view doc) {
        const std::string row = format("| `{}` | {} |\n", name, doc);
        EXPECT_NE(document.find(row), std::string::npos) << "missing: " << row;
    };
    for (const OperationGradient &row : operationGradients())
        expectRow(nameOf(row.op), row.doc);
    for (const ReductionGradient &row : reductionGradients())
        expectRow(format("reduce_axis {}", nameOf(row.op)), row.doc);
    for (const std::span<const GradientRule> rows :
         {movementGradients(), structuralGradients(), indexingGradients(), scanGradients()})
        for (const GradientRule &row : rows)
            expectRow(nameOf(row.kind), row.doc);
}

// The example of micrograd's description (github.com/karpathy/micrograd), which shows these three numbers.
TEST(LanguageGradients, giveTheNumbersOfMicrograd)
{
    const ProgramResult compiled = compileText("const a: f64[] = -4\n"
                                               "const b: f64[] = 2\n"
                                               "c = a + b\n"
                                               "d = a * b + b ** 3\n"
                                               "c += c + 1\n"
                                               "c += 1 + c + (-a)\n"
                                               "d += d * 2 + relu(b + a)\n"
                                               "d += 3 * d + relu(b - a)\n"
                                               "e = c - d\n"
                                               "f = e ** 2\n"
                                               "g = f / 2\n"
                                               "g += 10 / f\n"
                                               "da, db = grad(g, [a, b])\n"
                                               "output g\noutput da\noutput db\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    const std::vector<HostTensor> found = outputsOf(*compiled.graph, {});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_NEAR(found[0].at(0).asDouble(), 24.7041, 5e-5);
    EXPECT_NEAR(found[1].at(0).asDouble(), 138.8338, 5e-5);
    EXPECT_NEAR(found[2].at(0).asDouble(), 645.5773, 5e-5);
}

// Newton's method finds where the slope is 0 by dividing it by its own slope.
TEST(LanguageGradients, serveNewtonsMethod)
{
    const ProgramResult compiled = compileText("const start: f64[] = 3\n"
                                               "x = start\n"
                                               "for i in range(6):\n"
                                               "    slope = grad(cos(x), x)\n"
                                               "    x = x - slope / grad(slope, x)\n"
                                               "output x\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    const std::vector<HostTensor> found = outputsOf(*compiled.graph, {});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].at(0).asDouble(), 3.141592653589793, 1e-12);
}

} // namespace
} // namespace sw::test
