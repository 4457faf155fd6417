// Values of operators that ONNX's own tests, which are no part of this repository, leave open; by the reference interpreter.

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"

#include <gtest/gtest.h>

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
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", {}, {});
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

std::vector<double> elementsOf(const HostTensor &tensor)
{
    std::vector<double> elements;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        elements.push_back(tensor.at(i).asDouble());
    return elements;
}

ModelResult dropout(const std::vector<Message> &initializers)
{
    return importOnnx(modelBytes({.inputs = {valueInfo("x", {2})},
                                  .nodes = {{.op = "Dropout", .inputs = {"x", "ratio", "training"}, .outputs = {"y"}}},
                                  .outputs = {valueInfo("y", {2})},
                                  .initializers = initializers}),
                      "test.onnx", {}, {});
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
        "test.onnx", {}, {});
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
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", {}, {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const HostTensor x = HostTensor::filled(Scalar::of(DType::I64, large), Shape{3});
    const auto outputs = interpretGraph(*result.graph, std::vector{x});
    ASSERT_TRUE(outputs) << toText(outputs.error());
    EXPECT_EQ(outputs->front().at(0).asInt(), large);
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

} // namespace sw::test
