// Sequences of tensors, which are lists while a model is imported; and operators that read a graph or a name in an attribute.

#include "tests/support/meaning.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

using Numbers = std::vector<double>;

NodeText node(std::string op, std::vector<std::string> inputs, std::string output, std::vector<Message> attributes = {})
{
    return {.op = std::move(op),
            .inputs = std::move(inputs),
            .outputs = {std::move(output)},
            .name = {},
            .attributes = std::move(attributes)};
}

// x: f32[2, 3] = 1 ... 6; integers 0, 1, -1, -2 by name.
ModelResult importNodes(std::vector<NodeText> nodes, const std::string &domain = {}, std::vector<std::string> outputs = {"y"})
{
    ModelText model{.inputs = {valueInfo("x", {2, 3})},
                    .nodes = std::move(nodes),
                    .outputs = {},
                    .initializers = {integerTensor("zero", {}, {0}), integerTensor("one", {}, {1}),
                                     integerTensor("last", {}, {-1}), integerTensor("two", {}, {2}),
                                     integerTensor("parts", {2}, {1, 2})},
                    .opset = domain.empty() ? 17 : 1,
                    .domain = domain};
    for (const std::string &output : outputs)
        model.outputs.push_back(valueInfo(output, {-1}));
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
}

std::vector<HostTensor> resultsOf(const ModelResult &result)
{
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    if (!result.graph)
        return {};
    std::vector<HostTensor> values;
    for (const NodeId id : result.graph->placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(result.graph->node(id));
        values.push_back(attributes.initial != nullptr ? *attributes.initial : floats(Shape{2, 3}, {1, 2, 3, 4, 5, 6}));
    }
    const auto outputs = meaningOf(*result.graph, values);
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs ? *outputs : std::vector<HostTensor>();
}

Numbers valueOf(const std::vector<NodeText> &nodes)
{
    const auto outputs = resultsOf(importNodes(nodes));
    return outputs.empty() ? Numbers() : elementsOf(outputs.front());
}

const NodeText kRows = node("SplitToSequence", {"x"}, "s", {integerAttribute("axis", 0), integerAttribute("keepdims", 0)});

std::string messageOf(const ModelResult &result)
{
    EXPECT_FALSE(result.graph);
    return result.diagnostics.empty() ? std::string() : result.diagnostics.front().message;
}

} // namespace

TEST(Sequences, splitTensors)
{
    EXPECT_EQ(valueOf({kRows, node("SequenceAt", {"s", "last"}, "y")}), (Numbers{4, 5, 6}));
    const NodeText pairs = node("SplitToSequence", {"x", "two"}, "s", {integerAttribute("axis", 1)});
    EXPECT_EQ(valueOf({pairs, node("SequenceAt", {"s", "one"}, "y")}), (Numbers{3, 6})); // the rest
    const NodeText given = node("SplitToSequence", {"x", "parts"}, "s", {integerAttribute("axis", 1)});
    EXPECT_EQ(valueOf({given, node("SequenceAt", {"s", "one"}, "y")}), (Numbers{2, 3, 5, 6}));
    EXPECT_EQ(valueOf({given, node("SequenceLength", {"s"}, "y")}), (Numbers{2}));
}

TEST(Sequences, growAndShrink)
{
    const NodeText one = node("SequenceConstruct", {"x"}, "s");
    const NodeText negative = node("Neg", {"x"}, "n");
    const NodeText both = node("SequenceInsert", {"s", "n", "zero"}, "t");
    EXPECT_EQ(valueOf({one, negative, both, node("SequenceAt", {"t", "zero"}, "y")}), (Numbers{-1, -2, -3, -4, -5, -6}));
    EXPECT_EQ(valueOf({one, negative, both, node("SequenceErase", {"t", "zero"}, "u"), node("SequenceAt", {"u", "last"}, "y")}),
              (Numbers{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(
        valueOf({node("SequenceEmpty", {}, "e"), node("SequenceInsert", {"e", "x"}, "t"), node("SequenceLength", {"t"}, "y")}),
        (Numbers{1}));
}

TEST(Sequences, joinAgain)
{
    const NodeText exp = node("Neg", {"x"}, "n");
    const NodeText pair = node("SequenceConstruct", {"x", "n"}, "s");
    const auto joined =
        resultsOf(importNodes({exp, pair, node("ConcatFromSequence", {"s"}, "y", {integerAttribute("axis", 1)})}));
    ASSERT_EQ(joined.size(), 1U);
    EXPECT_EQ(joined[0].shape(), (Shape{2, 6}));
    const auto stacked = resultsOf(importNodes(
        {exp, pair, node("ConcatFromSequence", {"s"}, "y", {integerAttribute("axis", -1), integerAttribute("new_axis", 1)})}));
    ASSERT_EQ(stacked.size(), 1U);
    EXPECT_EQ(stacked[0].shape(), (Shape{2, 3, 2}));
    EXPECT_EQ(elementsOf(stacked[0]), (Numbers{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6}));
}

TEST(Sequences, goThroughBodies)
{
    const GraphText doubled{
        .inputs = {valueInfo("row", {3})}, .nodes = {node("Add", {"row", "row"}, "twice")}, .outputs = {valueInfo("twice", {3})}};
    EXPECT_EQ(valueOf({kRows, node("SequenceMap", {"s"}, "t", {graphAttribute("body", doubled)}),
                       node("SequenceAt", {"t", "one"}, "y")}),
              (Numbers{8, 10, 12}));
    // A loop hands a sequence on, and appends to it.
    const GraphText growing{.inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), Message().text(1, "so_far")},
                            .nodes = {node("SequenceInsert", {"so_far", "x"}, "more")},
                            .outputs = {valueInfo("go", {}, kBool), Message().text(1, "more")}};
    EXPECT_EQ(valueOf({node("SequenceEmpty", {}, "e"), node("Loop", {"two", "", "e"}, "t", {graphAttribute("body", growing)}),
                       node("SequenceLength", {"t"}, "y")}),
              (Numbers{2}));
}

TEST(Sequences, areRefusedWhereTensorsAreExpected)
{
    EXPECT_NE(messageOf(importNodes({kRows, node("Neg", {"s"}, "y")})).find("'s' is a sequence, expected a tensor"),
              std::string::npos);
    EXPECT_NE(messageOf(importNodes({node("SequenceLength", {"x"}, "y")})).find("'x' is a tensor, expected a sequence"),
              std::string::npos);
    EXPECT_NE(messageOf(importNodes({kRows, node("SequenceAt", {"s", "two"}, "y")})).find("position 2 is not in a sequence"),
              std::string::npos);
    EXPECT_NE(messageOf(importNodes({kRows, node("SequenceAt", {"s", "s"}, "y")})).find("a sequence, expected a tensor"),
              std::string::npos);
    NodeText output = kRows;
    output.outputs = {"y"};
    EXPECT_NE(messageOf(importNodes({output})).find("output 'y' is a sequence"), std::string::npos);
    EXPECT_NE(messageOf(importNodes({kRows, node("If", {"s"}, "y",
                                                 {graphAttribute("then_branch", {}), graphAttribute("else_branch", {})})}))
                  .find("the condition is a sequence"),
              std::string::npos);
}

TEST(ModelGradients, areThoseOfTheSum)
{
    // c = x * x, d = dc/dx
    ModelText model{
        .inputs = {valueInfo("x", {2, 3})},
        .nodes = {{.op = "Square", .inputs = {"x"}, .outputs = {"c"}, .domain = "ours"},
                  {.op = "Gradient",
                   .inputs = {"x"},
                   .outputs = {"y"},
                   .name = {},
                   .attributes = {Message().text(1, "xs").text(9, "x").number(20, 8), textAttribute("y", "c")},
                   .domain = "ai.onnx.preview.training"}},
        .outputs = {valueInfo("y", {2, 3})},
        .initializers = {},
        .opset = 1,
        .domain = "ai.onnx.preview.training",
        .functions = {
            {.name = "Square", .domain = "ours", .inputs = {"a"}, .outputs = {"b"}, .nodes = {node("Mul", {"a", "a"}, "b")}}}};
    ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    std::size_t gradients = 0;
    for (std::size_t i = 0; i < result.graph->size(); ++i)
        gradients += result.graph->node(NodeId(i)).kind == NodeKind::Gradient ? 1 : 0;
    EXPECT_EQ(gradients, 1U);
    model.nodes[1].attributes[1] = textAttribute("y", "nothing");
    result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    EXPECT_NE(messageOf(result).find("'nothing'"), std::string::npos);
    model.nodes[1].attributes[1] = textAttribute("y", "c");
    model.nodes[1].inputs = {"c"};
    result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    EXPECT_NE(messageOf(result).find("gradients at other places"), std::string::npos);
}

TEST(FlexAttention, changesScoresAndWeightsByItsGraphs)
{
    const std::vector<HostTensor> inputs{floats(Shape{1, 2, 1, 1}, {1, 1}), floats(Shape{1, 1, 2, 1}, {0, 0}),
                                         floats(Shape{1, 1, 2, 1}, {10, 20})};
    const auto flex = [&](std::vector<Message> attributes) {
        attributes.push_back(numberAttribute("scale", 1));
        const auto outputs = outputsOf({.node = {.op = "FlexAttention",
                                                 .inputs = {},
                                                 .outputs = {},
                                                 .name = {},
                                                 .attributes = std::move(attributes),
                                                 .domain = "ai.onnx.preview"},
                                        .opset = 1,
                                        .outputs = 1,
                                        .domain = "ai.onnx.preview"},
                                       inputs);
        return outputs.empty() ? Numbers() : elementsOf(outputs.front());
    };
    EXPECT_EQ(flex({}), (Numbers{15, 15})); // both keys weigh the same
    const auto modification = [&](const std::string &op, const std::vector<float> &numbers) {
        return GraphText{.inputs = {valueInfo("w", {1, 2, 1, 2})},
                         .nodes = {node(op, {"w", "numbers"}, "v")},
                         .outputs = {valueInfo("v", {1, 2, 1, 2})},
                         .initializers = {floatTensor("numbers", {2}, numbers)}};
    };
    EXPECT_EQ(flex({graphAttribute("score_mod", modification("Add", {0, -1000}))}), (Numbers{10, 10}));
    EXPECT_EQ(flex({graphAttribute("prob_mod", modification("Mul", {0, 2}))}), (Numbers{20, 20}));
}

} // namespace sw::test
