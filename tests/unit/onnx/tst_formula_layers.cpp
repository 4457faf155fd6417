// Operators of networks and signals, against references written out here.

#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace sw::test {

namespace {

std::size_t place(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

void expectNear(const std::vector<double> &found, const std::vector<double> &expected, double tolerance = 1e-4)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

// One query head per pair of query and key lists, by the definition. allowed(m, n) says whether a query may look at a key.
template <class Allowed>
std::vector<double> attentionOf(const HostTensor &q, const HostTensor &k, const HostTensor &v, Allowed allowed)
{
    const std::int64_t heads = q.shape()[1];
    const std::int64_t groups = heads / k.shape()[1];
    const std::int64_t m = q.shape()[2];
    const std::int64_t n = k.shape()[2];
    const std::int64_t size = q.shape()[3];
    const std::int64_t width = v.shape()[3];
    std::vector<double> result;
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t i = 0; i < m; ++i) {
            std::vector<double> weights;
            double total = 0;
            for (std::int64_t j = 0; j < n; ++j) {
                double score = 0;
                for (std::int64_t d = 0; d < size; ++d)
                    score += q.at((head * m + i) * size + d).asDouble() * k.at((head / groups * n + j) * size + d).asDouble();
                weights.push_back(allowed(i, j) ? std::exp(score / std::sqrt(static_cast<double>(size))) : 0);
                total += weights.back();
            }
            for (std::int64_t d = 0; d < width; ++d) {
                double sum = 0;
                for (std::int64_t j = 0; j < n; ++j)
                    sum += weights[place(j)] * v.at((head / groups * n + j) * width + d).asDouble();
                result.push_back(total == 0 ? 0 : sum / total);
            }
        }
    return result;
}

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

} // namespace

TEST(OnnxFormulaLayers, attentionSharesHeadsOfKeysAndLooksBack)
{
    std::mt19937 random(9);
    const HostTensor q = randomFloats(random, {1, 4, 3, 2}, 1);
    const HostTensor k = randomFloats(random, {1, 2, 5, 2}, 1);
    const HostTensor v = randomFloats(random, {1, 2, 5, 3}, 1);
    const OperatorText plain{.node = {.op = "Attention"}, .opset = 23};
    expectNear(elementsOf(outputsOf(plain, {q, k, v}).at(0)), attentionOf(q, k, v, [](auto, auto) { return true; }));
    OperatorText causal = plain;
    causal.node.attributes = {integerAttribute("is_causal", 1)};
    expectNear(elementsOf(outputsOf(causal, {q, k, v}).at(0)), attentionOf(q, k, v, [](auto i, auto j) { return j <= i; }));
}

// A query that a mask lets look nowhere gets 0, not NaN.
TEST(OnnxFormulaLayers, attentionToNothingIsNothing)
{
    std::mt19937 random(10);
    const HostTensor q = randomFloats(random, {1, 1, 2, 2}, 1);
    const HostTensor mask = HostTensor::ofValues(DType::Bool, {2, 2}, std::vector<double>{0, 0, 1, 0});
    const auto y = outputsOf({.node = {.op = "Attention"}, .opset = 23}, {q, q, q, mask});
    expectNear(elementsOf(y.at(0)), attentionOf(q, q, q, [](auto i, auto j) { return i == 1 && j == 0; }));
}

TEST(OnnxFormulaLayers, lstmInBothDirectionsOverSequencesOfTheirOwnLengths)
{
    std::mt19937 random(11);
    constexpr std::int64_t kSteps = 3;
    constexpr std::int64_t kBatch = 2;
    const HostTensor x = randomFloats(random, {kSteps, kBatch, 1}, 1);
    const HostTensor w = randomFloats(random, {2, 4, 1}, 1);
    const HostTensor r = randomFloats(random, {2, 4, 1}, 1);
    const HostTensor b = randomFloats(random, {2, 8}, 1);
    const std::vector<double> lengths{3, 2};
    const auto y = outputsOf(
        {.node = {.op = "LSTM", .attributes = {textAttribute("direction", "bidirectional"), integerAttribute("hidden_size", 1)}},
         .outputs = 3},
        {x, w, r, b, HostTensor::ofValues(DType::I32, {2}, lengths)});
    ASSERT_EQ(y.size(), 3U);
    std::vector<double> expected(place(kSteps * 2 * kBatch), 0.0);
    std::vector<double> last(4);
    for (std::int64_t way = 0; way < 2; ++way)
        for (std::int64_t item = 0; item < kBatch; ++item) {
            double h = 0;
            double c = 0;
            const auto length = static_cast<std::int64_t>(lengths[place(item)]);
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t t = way == 0 ? i : length - 1 - i;
                const auto gate = [&](std::int64_t g) {
                    return x.at(t * kBatch + item).asDouble() * w.at(way * 4 + g).asDouble() + h * r.at(way * 4 + g).asDouble() +
                           b.at(way * 8 + g).asDouble() + b.at(way * 8 + 4 + g).asDouble();
                };
                const double out = sigmoid(gate(1));
                c = sigmoid(gate(2)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
                h = out * std::tanh(c);
                expected[place((t * 2 + way) * kBatch + item)] = h;
            }
            last[place(way * kBatch + item)] = h;
        }
    expectNear(elementsOf(y[0]), expected);
    expectNear(elementsOf(y[1]), last);
}

TEST(OnnxFormulaLayers, fourierTransformsAndBack)
{
    std::mt19937 random(12);
    for (const std::int64_t n : {1, 2, 5, 8}) {
        const HostTensor x = randomFloats(random, {2, n, 1});
        const auto y = outputsOf({.node = {.op = "DFT"}, .opset = 20}, {x});
        ASSERT_EQ(y.size(), 1U);
        ASSERT_EQ(y[0].shape(), (Shape{2, n, 2}));
        for (std::int64_t row = 0; row < 2; ++row)
            for (std::int64_t k = 0; k < n; ++k) {
                std::complex<double> sum;
                for (std::int64_t i = 0; i < n; ++i)
                    sum += x.at(row * n + i).asDouble() *
                           std::polar(1.0, -2 * M_PI * static_cast<double>(i * k) / static_cast<double>(n));
                EXPECT_NEAR(y[0].at((row * n + k) * 2).asDouble(), sum.real(), 1e-4);
                EXPECT_NEAR(y[0].at((row * n + k) * 2 + 1).asDouble(), sum.imag(), 1e-4);
            }
        const auto back = outputsOf({.node = {.op = "DFT", .attributes = {integerAttribute("inverse", 1)}}, .opset = 20}, {y[0]});
        for (std::int64_t i = 0; i < 2 * n; ++i)
            EXPECT_NEAR(back.at(0).at(2 * i).asDouble(), x.at(i).asDouble(), 1e-4);
    }
}

// A transform of n elements takes n times the sum of its factors, and not n times n.
TEST(OnnxFormulaLayers, longTransformsAreSplitIntoShortOnes)
{
    std::mt19937 random(14);
    for (const auto &[n, most] : {std::pair<std::int64_t, std::int64_t>{2048, 64}, {1000, 40}, {67, 67}, {8192, 64}}) {
        const ImportedOperator dft = graphOf({.node = {.op = "DFT"}, .opset = 20}, {randomFloats(random, {1, n, 1})});
        ASSERT_NE(dft.graph, nullptr);
        std::int64_t largest = 0;
        for (std::size_t i = 0; i < dft.graph->size(); ++i)
            largest = std::max(largest, dft.graph->node(NodeId(i)).shape.elements());
        EXPECT_EQ(largest, n * most) << n;
    }
}

// Each phase of the outputs meets its own part of the kernel: nothing is multiplied by zeros between the elements of the input.
TEST(OnnxFormulaLayers, transposedConvolutionsMultiplyNoZeros)
{
    std::mt19937 random(15);
    struct Case {
        std::int64_t kernel;
        std::int64_t stride;
        std::int64_t products; // of all phases, along one axis: outputs of a phase x steps
    };
    for (const Case &one : {Case{4, 2, 2 * 7 * 2}, {2, 2, 2 * 6}, {3, 2, 7 * 2 + 7}, {5, 3, 2 * 7 * 2 + 7}, {1, 2, 6}}) {
        SCOPED_TRACE(one.kernel);
        const OperatorText text{.node = {.op = "ConvTranspose", .attributes = {integersAttribute("strides", {one.stride})}}};
        HostTensor x = randomFloats(random, {1, 3, 6});
        const HostTensor w = randomFloats(random, {3, 2, one.kernel});
        const ImportedOperator made = graphOf(text, {x, w});
        ASSERT_NE(made.graph, nullptr);
        std::int64_t products = 0;
        for (std::size_t i = 0; i < made.graph->size(); ++i)
            if (const Node &node = made.graph->node(NodeId(i)); node.kind == NodeKind::Binary && node.op == Op::Mul)
                products += node.shape.elements();
        EXPECT_EQ(products, 2 * 3 * one.products);
    }
}

// An infinite element reaches the outputs of its own kernel, and leaves the others alone.
TEST(OnnxFormulaLayers, transposedConvolutionsKeepInfinitiesApart)
{
    const HostTensor x = floats({1, 1, 4}, {1, std::numeric_limits<double>::infinity(), 2, 3});
    const HostTensor w = floats({1, 1, 3}, {1, 2, 4});
    const auto y = outputsOf({.node = {.op = "ConvTranspose", .attributes = {integersAttribute("strides", {2})}}}, {x, w});
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(elementsOf(y.at(0)), (std::vector<double>{1, 2, infinite, infinite, infinite, 4, 11, 6, 12}));
}

TEST(OnnxFormulaLayers, determinantsWithRowsToExchange)
{
    const HostTensor x = floats({3, 3, 3}, {0, 2, 1, 1, 1, 0, 3, 0, 1, 1, 2, 3, 2, 4, 6, 1, 1, 1, 2, 0, 0, 0, 3, 0, 0, 0, 4});
    expectNear(elementsOf(outputsOf({.node = {.op = "Det"}}, {x}).at(0)), {-5, 0, 24});
}

TEST(OnnxFormulaLayers, einsumWithDotsDiagonalsAndNoArrow)
{
    std::mt19937 random(13);
    const HostTensor a = randomFloats(random, {2, 3, 3});
    const HostTensor b = randomFloats(random, {3, 2});
    const auto of = [](std::string_view equation, const std::vector<HostTensor> &inputs) {
        return outputsOf({.node = {.op = "Einsum", .attributes = {textAttribute("equation", equation)}}}, inputs).at(0);
    };
    const HostTensor product = of("...ij, jk", {a, b});
    ASSERT_EQ(product.shape(), (Shape{2, 3, 2}));
    for (std::int64_t i = 0; i < 12; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < 3; ++j)
            sum += a.at(i / 2 * 3 + j).asDouble() * b.at(j * 2 + i % 2).asDouble();
        EXPECT_NEAR(product.at(i).asDouble(), sum, 1e-4);
    }
    const HostTensor diagonal = of("bii->bi", {a});
    for (std::int64_t i = 0; i < 6; ++i)
        EXPECT_EQ(diagonal.at(i).asDouble(), a.at(i / 3 * 9 + i % 3 * 4).asDouble());
    const ModelResult wrong = importOperator({.node = {.op = "Einsum", .attributes = {textAttribute("equation", "ij->i")}}}, {a});
    ASSERT_FALSE(wrong.graph);
    EXPECT_EQ(wrong.diagnostics[0].message,
              "Einsum that makes 'y0': term 'ij' of equation 'ij->i' does not fit an input of rank 3");
}

TEST(OnnxFormulaLayers, quantizedNumbersComeBack)
{
    const HostTensor x = floats({2, 3}, {-1, 0, 0.26, 10, 127, 300});
    const HostTensor scale = floats({2}, {0.5, 1});
    const HostTensor zero = HostTensor::ofValues(DType::U8, {2}, std::vector<double>{10, 0});
    const OperatorText quantize{.node = {.op = "QuantizeLinear", .attributes = {integerAttribute("axis", 0)}}, .opset = 21};
    const auto q = outputsOf(quantize, {x, scale, zero});
    EXPECT_EQ(elementsOf(q.at(0)), (std::vector<double>{8, 10, 11, 10, 127, 255}));
    const OperatorText back{.node = {.op = "DequantizeLinear", .attributes = {integerAttribute("axis", 0)}}, .opset = 21};
    expectNear(elementsOf(outputsOf(back, {q.at(0), scale, zero}).at(0)), {-1, 0, 0.5, 10, 127, 255});
}

TEST(OnnxFormulaLayers, convolutionsOfIntegersCountFromTheirZero)
{
    const HostTensor x = HostTensor::ofValues(DType::U8, {1, 1, 2, 2}, std::vector<double>{3, 4, 5, 6});
    const HostTensor w = HostTensor::ofValues(DType::U8, {1, 1, 2, 2}, std::vector<double>{2, 1, 1, 1});
    const HostTensor zero = HostTensor::ofValues(DType::U8, {}, std::vector<double>{3});
    EXPECT_EQ(elementsOf(outputsOf({.node = {.op = "ConvInteger"}}, {x, w, zero}).at(0)),
              (std::vector<double>{0 * 2 + 1 + 2 + 3}));
}

// Integers of 4 bits wrap as casts of integers do; small floats are rounded to the nearest, and to even.
TEST(OnnxFormulaLayers, castsToTypesThatTheGraphDoesNotHave)
{
    const HostTensor x = floats({6}, {-9, 8, 0.3, 1.25, 1000, -0.75});
    const auto there = [&](std::int64_t type) {
        return elementsOf(
            outputsOf({.node = {.op = "Cast", .attributes = {integerAttribute("to", type)}}, .opset = 23}, {x}).at(0));
    };
    EXPECT_EQ(there(22), (std::vector<double>{7, -8, 0, 1, -8, 0})); // int4
    EXPECT_EQ(there(21), (std::vector<double>{7, 8, 0, 1, 8, 0}));   // uint4
    EXPECT_EQ(there(23), (std::vector<double>{15, 7, 1, 2, 7, 10})); // float4e2m1: codes of 0.5, 1.0 and 6
    EXPECT_EQ(there(18).at(4), 127);                                 // float8e4m3fnuz: the largest, 240
}

TEST(OnnxFormulaLayers, otherOperatorsRefuseSuchTypes)
{
    const ModelText model{
        .inputs = {valueInfo("x", {2})},
        .nodes = {{.op = "Cast", .inputs = {"x"}, .outputs = {"small"}, .attributes = {integerAttribute("to", 22)}},
                  {.op = "Add", .inputs = {"small", "small"}, .outputs = {"y"}}},
        .outputs = {valueInfo("y", {2})},
        .opset = 23};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_FALSE(result.graph);
    EXPECT_EQ(result.diagnostics[0].message, "Add that makes 'y': 'small' has element type int4, which is not supported here");
    EXPECT_EQ(result.diagnostics[0].code, Code::UnsupportedDType);
}

TEST(OnnxFormulaLayers, optimizersTakeOneStepForEachTensor)
{
    const std::string domain = "ai.onnx.preview.training";
    const auto step = [&](std::string_view op, const std::vector<Message> &attributes, std::size_t states) {
        NodeText node{.op = std::string(op), .attributes = attributes};
        node.domain = domain;
        std::vector<HostTensor> inputs{floats({}, {0.5}), integers({}, {2}), floats({1}, {1}), floats({1}, {0.25})};
        for (std::size_t i = 0; i < states; ++i)
            inputs.push_back(floats({1}, {0.5}));
        return outputsOf({.node = node, .opset = 1, .outputs = 1 + states, .domain = domain}, inputs);
    };
    const auto adagrad = step("Adagrad", {numberAttribute("decay_factor", 0.5F), numberAttribute("epsilon", 0.0F)}, 1);
    ASSERT_EQ(adagrad.size(), 2U);
    expectNear(elementsOf(adagrad[1]), {0.5 + 0.0625});
    expectNear(elementsOf(adagrad[0]), {1 - 0.25 * 0.25 / std::sqrt(0.5625)});
    const auto momentum =
        step("Momentum", {numberAttribute("alpha", 0.5F), numberAttribute("beta", 0.5F), textAttribute("mode", "nesterov")}, 1);
    ASSERT_EQ(momentum.size(), 2U);
    expectNear(elementsOf(momentum[1]), {0.5 * 0.5 + 0.5 * 0.25});
    expectNear(elementsOf(momentum[0]), {1 - 0.5 * (0.25 + 0.5 * 0.375)});
    const auto adam =
        step("Adam", {numberAttribute("alpha", 0.5F), numberAttribute("beta", 0.75F), numberAttribute("epsilon", 0.0F)}, 2);
    ASSERT_EQ(adam.size(), 3U);
    const double mean = 0.5 * 0.5 + 0.5 * 0.25;
    const double square = 0.75 * 0.5 + 0.25 * 0.0625;
    expectNear(elementsOf(adam[1]), {mean});
    expectNear(elementsOf(adam[2]), {square});
    expectNear(elementsOf(adam[0]), {1 - 0.5 * std::sqrt(1 - 0.5625) / (1 - 0.25) * mean / std::sqrt(square)});
}

} // namespace sw::test
