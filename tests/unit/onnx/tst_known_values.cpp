// What the importer computes beforehand: shapes and indices from constants, and from the inputs whose values are given.

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {

namespace {

ModelResult importText(const ModelText &model, const ModelOptions &options = {})
{
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(options), {});
}

HostTensor integers(const std::vector<std::int64_t> &values)
{
    HostTensor tensor(DType::I64, Shape{static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i)
        tensor.set(static_cast<std::int64_t>(i), Scalar::of(DType::I64, values[i]));
    return tensor;
}

HostTensor numbers(Shape shape, const std::vector<double> &values)
{
    return HostTensor::ofValues(DType::F32, std::move(shape), values);
}

HostTensor onlyOutput(const ModelResult &model, const std::vector<HostTensor> &inputs)
{
    const auto outputs = interpretGraph(*model.graph, inputs);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? outputs->front() : HostTensor();
}

std::vector<std::string> placeholderNames(const Graph &graph)
{
    std::vector<std::string> names;
    for (const NodeId id : graph.placeholders())
        names.push_back(attributesOf<PlaceholderAttributes>(graph.node(id)).name);
    return names;
}

bool hasKind(const Graph &graph, NodeKind kind)
{
    return std::ranges::any_of(graph.nodes(), [&](const Node &node) { return node.kind == kind; });
}

// x: f32[2, 3, 4] with what is written of s as its shape.
ModelText reshaping(const std::vector<NodeText> &before, const std::vector<Message> &initializers)
{
    ModelText model{
        .inputs = {valueInfo("x", {2, 3, 4})}, .nodes = before, .outputs = {valueInfo("y", {-1})}, .initializers = initializers};
    model.nodes.push_back({.op = "Reshape", .inputs = {"x", "s"}, .outputs = {"y"}});
    return model;
}

} // namespace

TEST(KnownValues, followsAShapeThroughGatherAndConcat)
{
    const ModelResult result = importText(
        reshaping({{.op = "Shape", .inputs = {"x"}, .outputs = {"all"}},
                   {.op = "Gather", .inputs = {"all", "zero"}, .outputs = {"batch"}},
                   {.op = "Unsqueeze", .inputs = {"batch", "first"}, .outputs = {"list"}},
                   {.op = "Concat", .inputs = {"list", "rest"}, .outputs = {"s"}, .attributes = {integerAttribute("axis", 0)}}},
                  {integerTensor("zero", {}, {0}), integerTensor("first", {1}, {0}), integerTensor("rest", {1}, {-1})}));
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const Graph &graph = *result.graph;
    EXPECT_EQ(graph.node(graph.outputs()[0]).shape, (Shape{2, 12}));
    EXPECT_EQ(placeholderNames(graph), std::vector<std::string>{"x"});
    EXPECT_FALSE(hasKind(graph, NodeKind::Cat)) << "of what is computed beforehand, nothing stays";
    EXPECT_FALSE(hasKind(graph, NodeKind::Vconst));
}

TEST(KnownValues, computesArithmeticComparisonWhereSliceCastAndRange)
{
    // [-1, -1, 24] with 6 wherever it is -1, and the last element taken from a range.
    const ModelResult result = importText(
        reshaping({{.op = "ConstantOfShape", .inputs = {"three"}, .outputs = {"zeros"}},
                   {.op = "Cast", .inputs = {"zeros"}, .outputs = {"whole"}, .attributes = {integerAttribute("to", kInt64)}},
                   {.op = "Sub", .inputs = {"whole", "one"}, .outputs = {"minus"}},
                   {.op = "Range", .inputs = {"zero", "limit", "one"}, .outputs = {"range"}},
                   {.op = "Equal", .inputs = {"minus", "range"}, .outputs = {"none"}},
                   {.op = "Size", .inputs = {"x"}, .outputs = {"size"}},
                   {.op = "Where", .inputs = {"none", "size", "minus"}, .outputs = {"chosen"}},
                   {.op = "Mul", .inputs = {"chosen", "minusSix"}, .outputs = {"sixes"}},
                   {.op = "Expand", .inputs = {"sixes", "three"}, .outputs = {"wide"}},
                   {.op = "Slice", .inputs = {"wide", "zeroList", "oneList"}, .outputs = {"six"}},
                   {.op = "Concat", .inputs = {"six", "four"}, .outputs = {"s"}, .attributes = {integerAttribute("axis", 0)}}},
                  {integerTensor("three", {1}, {3}), integerTensor("one", {}, {1}), integerTensor("zero", {}, {0}),
                   integerTensor("limit", {}, {3}), integerTensor("minusSix", {}, {-6}), integerTensor("zeroList", {1}, {0}),
                   integerTensor("oneList", {1}, {1}), integerTensor("four", {1}, {4})}));
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{6, 4}));
    EXPECT_EQ(result.graph->size(), 3U) << "the input, the reshape and the sink";
}

TEST(KnownValues, keepsWeightsAndWhatIsComputedFromThem)
{
    const ModelText model{
        .inputs = {valueInfo("x", {2})},
        .nodes = {{.op = "Exp", .inputs = {"w"}, .outputs = {"e"}}, {.op = "Mul", .inputs = {"x", "e"}, .outputs = {"y"}}},
        .outputs = {valueInfo("y", {2})},
        .initializers = {floatTensor("w", {2}, {0, 1})}};
    const ModelResult result = importText(model);
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(placeholderNames(*result.graph), (std::vector<std::string>{"x", "w"}));
}

TEST(KnownValues, takesFloatsForPaddingAndRanges)
{
    ModelText pad{.inputs = {valueInfo("x", {1}), valueInfo("v", {})},
                  .nodes = {{.op = "Neg", .inputs = {"v"}, .outputs = {"fill"}},
                            {.op = "Pad", .inputs = {"x", "pads", "fill"}, .outputs = {"y"}}},
                  .outputs = {valueInfo("y", {3})},
                  .initializers = {integerTensor("pads", {2}, {1, 1})}};
    const ModelResult padded = importText(pad, {.givenInputs = {{"v", numbers({}, {-2.5})}}});
    ASSERT_TRUE(padded.graph) << toText(padded.diagnostics);
    EXPECT_EQ(padded.constantInputs, std::vector<std::string>{"v"});
    EXPECT_TRUE(onlyOutput(padded, {numbers({1}, {7})}).isIdenticalTo(numbers({3}, {2.5, 7, 2.5})));

    const ModelText range{.inputs = {valueInfo("a", {}), valueInfo("b", {}), valueInfo("c", {})},
                          .nodes = {{.op = "Range", .inputs = {"a", "b", "c"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {-1})}};
    const ModelResult ranged =
        importText(range, {.givenInputs = {{"a", numbers({}, {0.5})}, {"b", numbers({}, {2})}, {"c", numbers({}, {0.5})}}});
    ASSERT_TRUE(ranged.graph) << toText(ranged.diagnostics);
    EXPECT_TRUE(onlyOutput(ranged, {}).isIdenticalTo(numbers({3}, {0.5, 1, 1.5})));
}

TEST(KnownValues, makesLongRangesWhenTheModelRuns)
{
    const ModelText range{.inputs = {valueInfo("n", {}, kInt64)},
                          .nodes = {{.op = "Range", .inputs = {"start", "n", "step"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {-1})},
                          .initializers = {integerTensor("start", {}, {7}), integerTensor("step", {}, {3})}};
    const ModelResult ranged =
        importText(range, {.givenInputs = {{"n", HostTensor::ofScalar(Scalar::of(DType::I64, std::int64_t{9000}))}}});
    ASSERT_TRUE(ranged.graph) << toText(ranged.diagnostics);
    const HostTensor values = onlyOutput(ranged, {});
    ASSERT_EQ(values.elements(), 2998);
    EXPECT_EQ(values.at(0).asInt(), 7);
    EXPECT_EQ(values.at(2997).asInt(), 7 + 2997 * 3);
}

TEST(KnownValues, compilesForGivenValuesThatDecideShapes)
{
    ModelText model = reshaping({}, {});
    model.inputs.push_back(valueInfo("s", {2}, kInt64));
    const ModelResult result = importText(model, {.givenInputs = {{"s", integers({4, -1})}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{4, 6}));
    EXPECT_EQ(result.constantInputs, std::vector<std::string>{"s"});
    EXPECT_EQ(placeholderNames(*result.graph), std::vector<std::string>{"x"});
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].message, "input 's' decides shapes; the program is compiled for the value that is given");
}

// The sum reads the same value as the shape, in this run and in every other.
TEST(KnownValues, makesAConstantEverywhereOfAnInputThatDecidesAShape)
{
    ModelText model =
        reshaping({{.op = "Concat", .inputs = {"k", "rest"}, .outputs = {"s"}, .attributes = {integerAttribute("axis", 0)}},
                   {.op = "Add", .inputs = {"k", "k"}, .outputs = {"z"}}},
                  {integerTensor("rest", {1}, {-1})});
    model.inputs.push_back(valueInfo("k", {1}, kInt64));
    model.outputs.push_back(valueInfo("z", {1}, kInt64));
    const ModelResult result = importText(model, {.givenInputs = {{"k", integers({8})}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{8, 3}));
    EXPECT_EQ(placeholderNames(*result.graph), std::vector<std::string>{"x"});
}

TEST(KnownValues, leavesGivenInputsThatDecideNoShape)
{
    const ModelText model{.inputs = {valueInfo("ids", {2}, kInt64)},
                          .nodes = {{.op = "Gather", .inputs = {"w", "ids"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {2})},
                          .initializers = {floatTensor("w", {3}, {1, 2, 3})}};
    const ModelResult result = importText(model, {.givenInputs = {{"ids", integers({1, 2})}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_TRUE(result.constantInputs.empty());
    EXPECT_EQ(placeholderNames(*result.graph), (std::vector<std::string>{"ids", "w"}));
    EXPECT_TRUE(result.diagnostics.empty());
}

TEST(KnownValues, namesTheInputThatDecidesAShape)
{
    ModelText model = reshaping({{.op = "Mul", .inputs = {"k", "two"}, .outputs = {"s"}}}, {integerTensor("two", {1}, {2})});
    model.inputs.push_back(valueInfo("k", {1}, kInt64));
    const ModelResult result = importText(model, {.givenInputs = {{"x", numbers({2, 3, 4}, std::vector<double>(24, 1.0))}}});
    EXPECT_FALSE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].message,
              "Reshape that makes 'y': shape is 's', which must be known to compile: it depends on "
              "input 'k', which is known only when the model runs");
    EXPECT_EQ(result.diagnostics[0].hint, "give the value of input 'k' before compiling");
}

// The value that is missing is told, not the first that was looked for.
TEST(KnownValues, namesTheOperandThatIsWrongAlsoWhenOthersAreGiven)
{
    const ModelText model{.inputs = {valueInfo("x", {2}), valueInfo("pads", {2}, kInt64), valueInfo("v", {2})},
                          .nodes = {{.op = "Pad", .inputs = {"x", "pads", "v"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {-1})}};
    const ModelResult result = importText(model, {.givenInputs = {{"pads", integers({1, 1})}, {"v", numbers({2}, {1, 2})}}});
    EXPECT_FALSE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].message, "Pad that makes 'y': constant_value has 2 elements, expected one");
}

TEST(KnownValues, limitsWhatItComputes)
{
    const ModelResult result = importText(
        reshaping({{.op = "Expand", .inputs = {"one", "large"}, .outputs = {"wide"}},
                   {.op = "ReduceMax", .inputs = {"wide"}, .outputs = {"s"}, .attributes = {integerAttribute("keepdims", 1)}}},
                  {integerTensor("one", {1}, {24}), integerTensor("large", {1}, {std::int64_t{1} << 40})}));
    EXPECT_FALSE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].message,
              "Reshape that makes 'y': shape is 's', which must be known to compile: to compute it takes too long for an import; "
              "the limit is 67108864 elements");
}

} // namespace sw::test
