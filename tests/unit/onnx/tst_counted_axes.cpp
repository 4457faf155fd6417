// Operators that find out while they run how large their result is: computed at the largest size, cut when the run ends. What is
// known while importing gives the same results at their sizes.

#include "engine/graph/interpreter.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

struct Chain {
    std::string name;
    std::vector<NodeText> nodes; // from x0, x1 ... to y0, y1 ...
    std::vector<HostTensor> inputs;
    std::size_t outputs = 1;
    std::vector<Message> initializers = {};
};

NodeText node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs,
              std::vector<Message> attributes = {})
{
    return {.op = std::move(op), .inputs = std::move(inputs), .outputs = std::move(outputs), .attributes = std::move(attributes)};
}

enum class Values : std::uint8_t { Known, Unknown };

ModelResult imported(const Chain &chain, Values values)
{
    ModelText model{.inputs = {}, .nodes = chain.nodes, .outputs = {}, .initializers = chain.initializers};
    ModelOptions options = libraryOptions();
    for (std::size_t i = 0; i < chain.inputs.size(); ++i) {
        const Shape &shape = chain.inputs[i].shape();
        model.inputs.push_back(
            valueInfo(format("x{}", i), {shape.begin(), shape.end()}, chain.inputs[i].dtype() == DType::I64 ? kInt64 : kFloat));
        if (values == Values::Known)
            options.givenInputs.emplace(format("x{}", i), chain.inputs[i]);
    }
    for (std::size_t i = 0; i < chain.outputs; ++i)
        model.outputs.push_back(valueInfo(format("y{}", i), {-1}));
    return importOnnx(modelBytes(model), "test.onnx", options, {});
}

std::vector<HostTensor> resultsOf(const Chain &chain, Values values)
{
    const ModelResult result = imported(chain, values);
    EXPECT_TRUE(result.graph) << chain.name << ": " << toText(result.diagnostics);
    if (!result.graph)
        return {};
    std::vector<HostTensor> given;
    for (const NodeId id : result.graph->placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(result.graph->node(id));
        given.push_back(attributes.initial != nullptr ? *attributes.initial
                                                      : chain.inputs.at(std::stoul(attributes.name.substr(1))));
    }
    std::size_t faults = 0;
    InterpretOptions options;
    options.onFault = [&](const NodeIndexFault &) { ++faults; };
    const auto outputs = interpretGraph(*result.graph, given, options);
    EXPECT_TRUE(outputs) << chain.name << ": " << toText(outputs.error());
    EXPECT_EQ(faults, 0U) << chain.name;
    return outputs ? *outputs : std::vector<HostTensor>();
}

const HostTensor kMixed = floats({3, 4}, {1, 0, -2, 0, 0, 0, 3, 4, 0, 5, 0, 0});
const HostTensor kTable = floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

std::vector<Chain> chains()
{
    const NodeText places = node("NonZero", {"x0"}, {"places"});
    return {
        {"places", {node("NonZero", {"x0"}, {"y0"})}, {kMixed}},
        {"rows of a table",
         {places, node("Transpose", {"places"}, {"tuples"}), node("Slice", {"tuples", "one", "two", "one"}, {"columns"}),
          node("Squeeze", {"columns", "one"}, {"list"}), node("Gather", {"x1", "list"}, {"rows"}, {integerAttribute("axis", 0)}),
          node("Relu", {"rows"}, {"y0"})},
         {kMixed, kTable},
         1,
         {integerTensor("one", {1}, {1}), integerTensor("two", {1}, {2})}},
        {"elements at tuples",
         {places, node("Transpose", {"places"}, {"tuples"}), node("GatherND", {"x0", "tuples"}, {"found"}),
          node("Mul", {"found", "found"}, {"y0"})},
         {kMixed}},
        // The places behind the count would be 4, which no table of 4 rows has.
        {"indices that are computed",
         {places, node("Gather", {"places", "one"}, {"columns"}, {integerAttribute("axis", 0)}),
          node("Reshape", {"columns", "flat"}, {"list"}), node("Sub", {"four", "list"}, {"mirrored"}),
          node("Gather", {"x1", "mirrored"}, {"y0"})},
         {floats({1, 4}, {0, 1, 0, 1}), kTable},
         1,
         {integerTensor("one", {1}, {1}), integerTensor("flat", {1}, {-1}), integerTensor("four", {1}, {4})}},
        {"how many",
         {places, node("Shape", {"places"}, {"y0"}), node("Size", {"places"}, {"y1"}),
          node("Shape", {"places"}, {"y2"}, {integerAttribute("end", 1)})},
         {kMixed},
         3},
        {"products of rows",
         {places, node("Gather", {"places", "one"}, {"columns"}, {integerAttribute("axis", 0)}),
          node("Squeeze", {"columns", "zero"}, {"list"}), node("Gather", {"x1", "list"}, {"rows"}),
          node("MatMul", {"rows", "x2"}, {"products"}), node("Softmax", {"products"}, {"y0"}, {integerAttribute("axis", -1)}),
          node("ReduceSum", {"products", "one"}, {"y1"}, {integerAttribute("keepdims", 0)})},
         {kMixed, kTable, floats({2, 3}, {1, 0, 2, 0, 1, 1})},
         2,
         {integerTensor("one", {1}, {1}), integerTensor("zero", {1}, {0})}},
        {"different ones",
         {node("Unique", {"x0"}, {"y0", "y1", "y2", "y3"}), node("Unique", {"x0"}, {"y4"}, {integerAttribute("sorted", 0)})},
         {floats({7}, {2, 1, 1, 3, 2, -5, 1})},
         5},
        {"different rows",
         {node("Unique", {"x0"}, {"y0", "y1", "y2", "y3"}, {integerAttribute("axis", 0)}),
          node("Unique", {"x0"}, {"y4"}, {integerAttribute("axis", 1), integerAttribute("sorted", 0)})},
         {floats({4, 3}, {1, 0, 0, 1, 0, 0, 1, -1, 3, 0, 9, 9})},
         5},
        {"nothing", {node("NonZero", {"x0"}, {"y0"})}, {floats({2, 3}, {0, 0, 0, 0, 0, 0})}},
    };
}

void expectEqual(const HostTensor &found, const HostTensor &expected, const std::string &where)
{
    EXPECT_EQ(found.dtype(), expected.dtype()) << where;
    EXPECT_EQ(found.shape(), expected.shape()) << where;
    if (found.shape() == expected.shape())
        EXPECT_EQ(elementsOf(found), elementsOf(expected)) << where;
}

} // namespace

TEST(CountedAxes, giveWhatKnownValuesGive)
{
    for (const Chain &chain : chains()) {
        const auto expected = resultsOf(chain, Values::Known);
        const auto found = resultsOf(chain, Values::Unknown);
        ASSERT_EQ(found.size(), expected.size()) << chain.name;
        for (std::size_t i = 0; i < found.size(); ++i)
            expectEqual(found[i], expected[i], format("{}, output {}", chain.name, i));
    }
}

TEST(CountedAxes, needNoValuesWhileImporting)
{
    for (const Chain &chain : chains())
        EXPECT_TRUE(imported(chain, Values::Unknown).constantInputs.empty()) << chain.name;
}

TEST(CountedAxes, keepTheBoxesThatStay)
{
    std::mt19937 random(7);
    std::uniform_int_distribution<int> place(0, 12);
    for (int round = 0; round < 12; ++round) {
        std::vector<double> corners;
        std::vector<double> scores;
        for (int i = 0; i < 2 * 9 * 4; ++i)
            corners.push_back(place(random) * 0.25);
        for (int i = 0; i < 2 * 3 * 9; ++i)
            scores.push_back(place(random) * 0.0625);
        const std::int64_t most = place(random) % 6;
        Chain chain{
            "boxes",
            {node("NonMaxSuppression", {"x0", "x1", "most", "overlap"}, {"y0"},
                  {integerAttribute("center_point_box", round % 2)})},
            {floats({2, 9, 4}, corners), floats({2, 3, 9}, scores)},
            1,
            {integerTensor("most", {1}, {most}), floatTensor("overlap", {1}, {0.3F}), floatTensor("least", {1}, {0.25F})}};
        if (round % 3 != 0)
            chain.nodes.front().inputs.emplace_back("least");
        const auto expected = resultsOf(chain, Values::Known);
        const auto found = resultsOf(chain, Values::Unknown);
        ASSERT_EQ(found.size(), 1U);
        ASSERT_EQ(expected.size(), 1U);
        expectEqual(found[0], expected[0], format("round {}", round));
    }
}

TEST(CountedAxes, areRefusedByWhatWouldTakeInWhatLiesBehindTheCount)
{
    const NodeText places = node("NonZero", {"x0"}, {"places"});
    const Message one = integerTensor("one", {1}, {1});
    const std::vector<Chain> refused = {
        {"a sum along it", {places, node("ReduceSum", {"places", "one"}, {"y0"})}, {kMixed}, 1, {one}},
        {"a sum of all", {places, node("ReduceSum", {"places"}, {"y0"})}, {kMixed}},
        {"sorting", {places, node("TopK", {"places", "one"}, {"y0", "y1"})}, {kMixed}, 1, {one}},
        {"joining", {places, node("Concat", {"places", "places"}, {"y0"}, {integerAttribute("axis", 1)})}, {kMixed}},
        {"another extent", {places, node("Add", {"places", "x1"}, {"y0"})}, {kMixed, integers({12}, std::vector<double>(12, 1))}},
        {"a shape made of it",
         {places, node("Shape", {"places"}, {"shape"}), node("ConstantOfShape", {"shape"}, {"y0"})},
         {kMixed}},
    };
    for (const Chain &chain : refused) {
        const ModelResult result = imported(chain, Values::Unknown);
        EXPECT_FALSE(result.graph) << chain.name;
        ASSERT_FALSE(result.diagnostics.empty()) << chain.name;
        EXPECT_EQ(result.diagnostics.front().code, Code::Unsupported) << chain.name;
    }
    const ModelResult result = imported(refused.front(), Values::Unknown);
    EXPECT_EQ(result.diagnostics.front().message, "ReduceSum that makes 'y0': axis 1 of 'places' has as many elements as the run "
                                                  "finds: it works along that axis");
}

} // namespace sw::test
