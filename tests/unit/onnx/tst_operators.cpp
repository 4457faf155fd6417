// Values of operators that ONNX's own tests, which are no part of this repository, leave open; by the reference interpreter.

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw::test {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

HostTensor numbers(Shape shape, const std::vector<double> &values)
{
    return HostTensor::ofValues(DType::F32, std::move(shape), values);
}

// y of one node, whose first input is x.
HostTensor valueOf(NodeText node, const HostTensor &x, const std::vector<Message> &initializers = {}, std::int64_t opset = 19)
{
    node.outputs = {"y"};
    const ModelText model{
        .inputs = {valueInfo("x", {x.shape().begin(), x.shape().end()}, x.dtype() == DType::F32 ? kFloat : kInt64)},
        .nodes = {node},
        .outputs = {valueInfo("y", {-1})},
        .initializers = initializers,
        .opset = opset};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    if (!result.graph)
        return {};
    std::vector<HostTensor> values;
    for (const NodeId id : result.graph->placeholders()) {
        const auto &initial = attributesOf<PlaceholderAttributes>(result.graph->node(id)).initial;
        values.push_back(initial == nullptr ? x : *initial);
    }
    const auto outputs = interpretGraph(*result.graph, values);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? outputs->front() : HostTensor();
}

void expectNear(const HostTensor &actual, const HostTensor &expected)
{
    ASSERT_EQ(actual.shape(), expected.shape());
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        EXPECT_NEAR(actual.at(i).asDouble(), expected.at(i).asDouble(), 1e-5) << i;
}

ModelResult dropout(const std::vector<Message> &initializers)
{
    return importOnnx(modelBytes({.inputs = {valueInfo("x", {2})},
                                  .nodes = {{.op = "Dropout", .inputs = {"x", "ratio", "training"}, .outputs = {"y"}}},
                                  .outputs = {valueInfo("y", {2})},
                                  .initializers = initializers}),
                      "test.onnx", libraryOptions(), {});
}

Message flag(std::string_view name, std::int64_t value)
{
    return Message().number(2, kBool).number(5, value).text(8, name);
}

} // namespace

TEST(OnnxOperators, argMaxTakesTheFirstThatIsNoNumber)
{
    const HostTensor x = numbers({2, 3}, {1, kNan, 3, 4, 6, 5});
    for (const char *op : {"ArgMax", "ArgMin"}) {
        const HostTensor y = valueOf({.op = op, .inputs = {"x"}, .attributes = {integerAttribute("axis", 1)}}, x);
        EXPECT_EQ(elementsOf(y), (std::vector<double>{1, std::string(op) == "ArgMax" ? 1.0 : 0.0})) << op;
    }
    const HostTensor last = valueOf(
        {.op = "ArgMax", .inputs = {"x"}, .attributes = {integerAttribute("axis", 1), integerAttribute("select_last_index", 1)}},
        numbers({1, 3}, {kNan, kNan, 3}));
    EXPECT_EQ(elementsOf(last), std::vector<double>{1});
}

TEST(OnnxOperators, argMaxRefusesAxesWithoutElements)
{
    const ModelResult result = importOnnx(
        modelBytes({.inputs = {valueInfo("x", {2, 0})},
                    .nodes = {{.op = "ArgMax", .inputs = {"x"}, .outputs = {"y"}, .attributes = {integerAttribute("axis", 1)}}},
                    .outputs = {valueInfo("y", {2, 1})}}),
        "test.onnx", libraryOptions(), {});
    ASSERT_FALSE(result.graph);
    EXPECT_EQ(result.diagnostics[0].message, "ArgMax that makes 'y': axis 1 of [2, 0] has no elements");
}

TEST(OnnxOperators, logSumExpOfInfinities)
{
    const HostTensor x = numbers({4, 2}, {-kInfinity, -kInfinity, -kInfinity, 1, kInfinity, -kInfinity, kNan, 1});
    const std::vector<double> y = elementsOf(
        valueOf({.op = "ReduceLogSumExp", .inputs = {"x"}, .attributes = {integersAttribute("axes", {1})}}, x, {}, 13));
    ASSERT_EQ(y.size(), 4U);
    EXPECT_EQ(y[0], -kInfinity);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[2], kInfinity);
    EXPECT_TRUE(std::isnan(y[3]));
}

TEST(OnnxOperators, meanOfIntegersDoesNotOverflow)
{
    const std::int64_t large = std::numeric_limits<std::int32_t>::max();
    const NodeText cast{.op = "Cast", .inputs = {"x"}, .outputs = {"narrow"}, .attributes = {integerAttribute("to", 6)}};
    const ModelText model{
        .inputs = {valueInfo("x", {3}, kInt64)},
        .nodes = {cast,
                  {.op = "ReduceMean", .inputs = {"narrow"}, .outputs = {"m"}},
                  {.op = "Cast", .inputs = {"m"}, .outputs = {"y"}, .attributes = {integerAttribute("to", kInt64)}}},
        .outputs = {valueInfo("y", {1}, kInt64)}};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const HostTensor x = HostTensor::filled(Scalar::of(DType::I64, large), Shape{3});
    const auto outputs = interpretGraph(*result.graph, std::vector{x});
    ASSERT_TRUE(outputs) << toText(outputs.error());
    EXPECT_EQ(outputs->front().at(0).asInt(), large);
}

TEST(OnnxOperators, topKOrdersEqualElementsByPlaceAndNoNumbersFirst)
{
    const HostTensor x = numbers({1, 6}, {3, kNan, 7, 3, -kInfinity, 7});
    const auto top = [&](std::int64_t largest, std::string output) {
        const ModelText model{.inputs = {valueInfo("x", {1, 6})},
                              .nodes = {{.op = "TopK",
                                         .inputs = {"x", "k"},
                                         .outputs = {"v", "i"},
                                         .attributes = {integerAttribute("largest", largest)}}},
                              .outputs = {valueInfo(output, {1, 4})},
                              .initializers = {integerTensor("k", {1}, {4})}};
        const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
        EXPECT_TRUE(result.graph) << toText(result.diagnostics);
        const auto outputs = result.graph ? interpretGraph(*result.graph, std::vector{x})
                                          : Result<std::vector<HostTensor>>(std::vector<HostTensor>());
        return outputs && !outputs->empty() ? elementsOf(outputs->front()) : std::vector<double>();
    };
    EXPECT_EQ(top(1, "i"), (std::vector<double>{1, 2, 5, 0}));
    EXPECT_EQ(top(0, "i"), (std::vector<double>{4, 0, 3, 2}));
    EXPECT_EQ(top(0, "v"), (std::vector<double>{-kInfinity, 3, 3, 7}));
}

TEST(OnnxOperators, dropoutIsRefusedWhileTraining)
{
    const ModelResult training = dropout({floatTensor("ratio", {}, {0.5F}), flag("training", 1)});
    ASSERT_FALSE(training.graph);
    EXPECT_EQ(training.diagnostics[0].message,
              "Dropout that makes 'y': training_mode is on; only inference is supported, or a ratio of 0");
    EXPECT_TRUE(dropout({floatTensor("ratio", {}, {0.5F}), flag("training", 0)}).graph);
    EXPECT_TRUE(dropout({floatTensor("ratio", {}, {0}), flag("training", 1)}).graph);
}

TEST(OnnxOperators, oneHotWrapsNegativeIndices)
{
    HostTensor x(DType::I64, Shape{3});
    for (std::int64_t i = 0; i < 3; ++i)
        x.set(i, Scalar::of(DType::I64, i == 0 ? std::int64_t{-1} : i * 2));
    const std::vector<Message> rest = {integerTensor("depth", {}, {3}), floatTensor("values", {2}, {5, 7})};
    const HostTensor y = valueOf({.op = "OneHot", .inputs = {"x", "depth", "values"}}, x, rest);
    EXPECT_TRUE(y.isIdenticalTo(numbers({3, 3}, {5, 5, 7, 5, 5, 7, 5, 5, 5})));
    const HostTensor first =
        valueOf({.op = "OneHot", .inputs = {"x", "depth", "values"}, .attributes = {integerAttribute("axis", 0)}}, x, rest);
    EXPECT_TRUE(first.isIdenticalTo(numbers({3, 3}, {5, 5, 5, 5, 5, 5, 7, 7, 5})));
}

TEST(OnnxOperators, rmsNormalizationScales)
{
    const HostTensor y = valueOf({.op = "RMSNormalization", .inputs = {"x", "w"}, .attributes = {numberAttribute("epsilon", 0)}},
                                 numbers({2, 2}, {3, 4, 0, 2}), {floatTensor("w", {2}, {1, 10})}, 23);
    const double root = std::sqrt(12.5);
    expectNear(y, numbers({2, 2}, {3 / root, 40 / root, 0, 10 * std::sqrt(2.0)}));
}

TEST(OnnxOperators, resizeRepeatsTheNearest)
{
    const HostTensor x = numbers({1, 1, 2, 2}, {1, 2, 3, 4});
    const NodeText node{.op = "Resize", .inputs = {"x", "", "scales"}};
    const HostTensor y = valueOf(node, x, {floatTensor("scales", {4}, {1, 1, 2, 3})});
    expectNear(y, numbers({1, 1, 4, 6}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
    const HostTensor upsampled =
        valueOf({.op = "Upsample", .inputs = {"x", "scales"}}, x, {floatTensor("scales", {4}, {1, 1, 1, 2})}, 9);
    expectNear(upsampled, numbers({1, 1, 2, 4}, {1, 1, 2, 2, 3, 3, 4, 4}));
}

// Its two lists of weights are too long for the graph's text, so they are parameters, with names of their own.
TEST(OnnxOperators, resizeInterpolatesLongAxes)
{
    constexpr std::int64_t kSize = 600;
    const HostTensor y = valueOf({.op = "Resize",
                                  .inputs = {"x", "", "", "sizes"},
                                  .name = "stretch",
                                  .attributes = {integersAttribute("axes", {1}), textAttribute("mode", "linear")}},
                                 numbers({1, 4}, {1, 2, 3, 4}), {integerTensor("sizes", {1}, {kSize})});
    ASSERT_EQ(y.elements(), kSize);
    for (std::int64_t i = 0; i < kSize; ++i) {
        const double place = (static_cast<double>(i) + 0.5) * 4 / kSize - 0.5;
        EXPECT_NEAR(y.at(i).asDouble(), std::clamp(place + 1, 1.0, 4.0), 1e-5) << i;
    }
}

TEST(OnnxOperators, resizeInterpolates)
{
    const HostTensor x = numbers({1, 4}, {1, 2, 3, 4});
    const auto resized = [&](std::vector<Message> attributes, std::int64_t size) {
        attributes.push_back(integersAttribute("axes", {1}));
        return valueOf({.op = "Resize", .inputs = {"x", "", "", "sizes"}, .attributes = std::move(attributes)}, x,
                       {integerTensor("sizes", {1}, {size})});
    };
    const Message linear = textAttribute("mode", "linear");
    expectNear(resized({linear}, 8), numbers({1, 8}, {1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}));
    expectNear(resized({linear, textAttribute("coordinate_transformation_mode", "align_corners")}, 7),
               numbers({1, 7}, {1, 1.5, 2, 2.5, 3, 3.5, 4}));
    expectNear(resized({linear, textAttribute("coordinate_transformation_mode", "asymmetric")}, 8),
               numbers({1, 8}, {1, 1.5, 2, 2.5, 3, 3.5, 4, 4}));
    // An average over what each covers: weights 1, 3, 3, 1 with the edge for what is outside.
    expectNear(resized({linear, integerAttribute("antialias", 1)}, 2),
               numbers({1, 2}, {(1 * 1 + 1 * 3 + 2 * 3 + 3 * 1) / 8.0, (2 * 1 + 3 * 3 + 4 * 3 + 4 * 1) / 8.0}));
    expectNear(resized({textAttribute("mode", "cubic")}, 4), x);
    // Keys' weights with -0.75 between the elements: -3, 19, 19, -3 of 32.
    expectNear(
        resized({textAttribute("mode", "cubic"), textAttribute("coordinate_transformation_mode", "align_corners")}, 7),
        numbers({1, 7}, {1, (-3 * 1 + 19 * 1 + 19 * 2 - 3 * 3) / 32.0, 2, 2.5, 3, (-3 * 2 + 19 * 3 + 19 * 4 - 3 * 4) / 32.0, 4}));
}

TEST(OnnxOperators, resizeCropsAndFillsWhatLiesOutside)
{
    const HostTensor y =
        valueOf({.op = "Resize",
                 .inputs = {"x", "roi", "", "sizes"},
                 .attributes = {textAttribute("mode", "linear"), integersAttribute("axes", {1}),
                                textAttribute("coordinate_transformation_mode", "tf_crop_and_resize"),
                                numberAttribute("extrapolation_value", 9)}},
                numbers({1, 5}, {0, 1, 2, 3, 4}), {floatTensor("roi", {2}, {0.5F, 1.5F}), integerTensor("sizes", {1}, {5})});
    expectNear(y, numbers({1, 5}, {2, 3, 4, 9, 9}));
}

} // namespace sw::test
