// Models whose dimensions stay open: the graph for all sizes is that of each size, and what stops a dimension is named.

#include "engine/graph/dimension_nodes.h"
#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/types/random_fill.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {

namespace {

ModelResult importText(const ModelText &model, const ModelOptions &options)
{
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(options), {});
}

// Convolution, pooling and a layer, as networks for images have them.
ModelText convolutions()
{
    std::vector<float> kernel;
    for (int i = 0; i < 4 * 2 * 3 * 3; ++i)
        kernel.push_back(static_cast<float>(i % 7) / 4 - 0.5F);
    std::vector<float> weights;
    for (int i = 0; i < 4 * 5; ++i)
        weights.push_back(static_cast<float>(i % 5) / 8 - 0.25F);
    return {
        .inputs = {openInfo("x", {"batch", "2", "8", "8"})},
        .nodes =
            {{.op = "Conv",
              .inputs = {"x", "k"},
              .outputs = {"c"},
              .attributes = {integersAttribute("pads", {1, 1, 1, 1}), integersAttribute("strides", {2, 2})}},
             {.op = "Relu", .inputs = {"c"}, .outputs = {"r"}},
             {.op = "MaxPool", .inputs = {"r"}, .outputs = {"m"}, .attributes = {integersAttribute("kernel_shape", {2, 2})}},
             {.op = "AveragePool", .inputs = {"m"}, .outputs = {"a"}, .attributes = {integersAttribute("kernel_shape", {3, 3})}},
             {.op = "Flatten", .inputs = {"a"}, .outputs = {"f"}},
             {.op = "MatMul", .inputs = {"f", "w"}, .outputs = {"p"}},
             {.op = "Softmax", .inputs = {"p"}, .outputs = {"y"}}},
        .outputs = {openInfo("y", {"batch", "5"})},
        .initializers = {floatTensor("k", {4, 2, 3, 3}, kernel), floatTensor("w", {4, 5}, weights)}};
}

std::vector<HostTensor> valuesOf(const Graph &graph, std::uint64_t seed)
{
    std::vector<HostTensor> values;
    for (const NodeId id : graph.placeholders()) {
        const Node &node = graph.node(id);
        const auto &given = attributesOf<PlaceholderAttributes>(node);
        values.push_back(given.initial ? *given.initial : randomTensor(node.dtype, node.shape, seed));
    }
    return values;
}

void expectSameAt(const ModelText &model, const Graph &open, const ModelOptions &sizes)
{
    SymbolicBindings bindings(sizes.dimensions.begin(), sizes.dimensions.end());
    const ModelResult fixed = importText(model, sizes);
    ASSERT_TRUE(fixed.graph) << toText(fixed.diagnostics);
    const auto bound = bindDimensions(open, bindings);
    ASSERT_TRUE(bound) << toText(bound.error());
    const auto expected = interpretGraph(*fixed.graph, valuesOf(*fixed.graph, 7), {});
    const auto found = interpretGraph(*bound, valuesOf(*bound, 7), {});
    ASSERT_TRUE(expected && found);
    ASSERT_EQ(expected->size(), found->size());
    for (std::size_t i = 0; i < expected->size(); ++i)
        EXPECT_TRUE((*expected)[i].isIdenticalTo((*found)[i])) << i;
}

} // namespace

TEST(OpenModels, keepTheBatchOfConvolutions)
{
    const ModelResult open = importText(convolutions(), {.openDimensions = {{"batch", {1, 16}}}});
    ASSERT_TRUE(open.graph) << toText(open.diagnostics);
    EXPECT_EQ(toText(open.diagnostics), "");
    EXPECT_EQ(toText(open.graph->node(open.graph->outputs()[0]).shape), "[batch, 5]");
    for (const std::int64_t batch : {1, 2, 5, 16})
        expectSameAt(convolutions(), *open.graph, {.dimensions = {{"batch", batch}}});
}

// Pointing at what became of a node lights up the model's line.
TEST(OpenModels, comeFromTheModelsLines)
{
    const ModelResult open = importText(convolutions(), {.openDimensions = {{"batch", {1, 16}}}});
    const ModelResult fixed = importText(convolutions(), {.dimensions = {{"batch", 4}}});
    ASSERT_TRUE(open.graph && fixed.graph);
    const auto linesOf = [](const Graph &graph) {
        std::vector<std::pair<NodeKind, std::uint32_t>> lines;
        for (const Node &node : graph.nodes())
            if (node.kind != NodeKind::DefineVar && node.kind != NodeKind::Bind)
                lines.emplace_back(node.kind, graph.sources().programRange(node.origin).line);
        return lines;
    };
    EXPECT_EQ(linesOf(*open.graph), linesOf(*fixed.graph));
}

TEST(OpenModels, haveNamesThatAreWordsAndNoInputs)
{
    const ModelText model{
        .inputs = {openInfo("a", {"", "3"}), openInfo("batch", {"batch", "3"})},
        .nodes = {{.op = "Exp", .inputs = {"a"}, .outputs = {"y"}}, {.op = "Exp", .inputs = {"batch"}, .outputs = {"z"}}},
        .outputs = {openInfo("y", {"", "3"}), openInfo("z", {"batch", "3"})}};
    const ModelResult open = importText(model, {.openDimensions = {{"a.0", {}}, {"batch", {2, 9}}}});
    ASSERT_TRUE(open.graph) << toText(open.diagnostics);
    EXPECT_EQ(toText(open.graph->node(open.graph->outputs()[0]).shape), "[a_0, 3]");
    EXPECT_EQ(toText(open.graph->node(open.graph->outputs()[1]).shape), "[batch_2, 3]");
}

// What is cut at ten is as long as x where that is shorter.
TEST(OpenModels, nameTheLineThatStopsADimension)
{
    const ModelText model{
        .inputs = {openInfo("x", {"batch", "length"})},
        .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"r"}},
                  {.op = "Slice", .inputs = {"r", "zero", "ten", "axis"}, .outputs = {"z"}}},
        .outputs = {openInfo("z", {"batch", "cut"})},
        .initializers = {integerTensor("zero", {1}, {0}), integerTensor("ten", {1}, {10}), integerTensor("axis", {1}, {1})}};
    const ModelOptions both{.openDimensions = {{"batch", {1, 8}}, {"length", {4, 32}}}};
    const ModelResult open = importText(model, both);
    ASSERT_TRUE(open.graph) << toText(open.diagnostics);
    EXPECT_EQ(toText(open.graph->node(open.graph->outputs()[0]).shape), "[batch, 4]") << "the least length";
    ASSERT_EQ(open.diagnostics.size(), 1U) << toText(open.diagnostics);
    const Diagnostic &note = open.diagnostics.front();
    EXPECT_EQ(note.severity, Severity::Note);
    EXPECT_TRUE(note.message.starts_with("the dimension length is 4 in the program: ")) << note.message;
    EXPECT_NE(note.message.find("at: z = Slice(r, zero, ten, axis)"), std::string::npos) << note.message;
    EXPECT_EQ(note.hint, "--dim length=N makes it N");
    // The size of a tensor that is given comes before the least.
    ModelOptions given = both;
    given.givenInputs.emplace("x", HostTensor(DType::F32, Shape{3, 7}));
    const ModelResult seven = importText(model, given);
    ASSERT_TRUE(seven.graph) << toText(seven.diagnostics);
    EXPECT_EQ(toText(seven.graph->node(seven.graph->outputs()[0]).shape), "[batch, 7]");
}

TEST(OpenModels, refuseDimensionsThatTheModelDoesNotHave)
{
    const ModelResult made = importText(convolutions(), {.openDimensions = {{"width", {}}}});
    EXPECT_FALSE(made.graph);
    ASSERT_FALSE(made.diagnostics.empty());
    EXPECT_EQ(made.diagnostics.front().message, "the model has no open dimension \"width\"; it has batch");
}

TEST(OpenModels, sayWhereOneIsSpecial)
{
    // Without axes, the first axis is dropped where its extent is 1.
    const ModelText model{.inputs = {openInfo("x", {"n", "3"})},
                          .nodes = {{.op = "Squeeze", .inputs = {"x"}, .outputs = {"y"}}},
                          .outputs = {openInfo("y", {"n", "3"})}};
    const ModelResult open = importText(model, {.openDimensions = {{"n", {1, 8}}}});
    ASSERT_TRUE(open.graph) << toText(open.diagnostics);
    ASSERT_EQ(open.diagnostics.size(), 1U);
    EXPECT_EQ(open.diagnostics.front().message, "the dimension n begins at 2: for 1 the model is another program");
}

} // namespace sw::test
