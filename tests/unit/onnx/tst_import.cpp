#include "engine/graph/verify.h"
#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sw::test {

namespace {

ModelResult importText(const ModelText &model, const ModelOptions &options = {})
{
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(options), {});
}

ModelText convolution()
{
    return {.inputs = {valueInfo("x", {1, 2, 5, 5})},
            .nodes = {{.op = "Conv",
                       .inputs = {"x", "w"},
                       .outputs = {"y"},
                       .name = "/block1/conv/Conv",
                       .attributes = {integersAttribute("pads", {1, 1, 1, 1})}},
                      {.op = "Relu", .inputs = {"y"}, .outputs = {"z"}, .name = "/block1/act/Relu"}},
            .outputs = {valueInfo("z", {1, 4, 5, 5})},
            .initializers = {floatTensor("w", {4, 2, 3, 3}, std::vector<float>(72, 0.5F))}};
}

} // namespace

TEST(OnnxImport, makesAGraphThatVerifies)
{
    const ModelResult result = importText(convolution());
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_TRUE(verifyGraph(*result.graph));
    EXPECT_EQ(result.graph->outputNames(), std::vector<std::string>{"z"});
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{1, 4, 5, 5}));
}

TEST(OnnxImport, listsOneLinePerInputParameterNodeAndOutput)
{
    const ModelResult result = importText(convolution());
    ASSERT_TRUE(result.sources);
    EXPECT_EQ(result.sources->file(SourceMap::programFile()).text,
              "# model test\n"
              "# opset 13; made by a test; 72 parameters in 1 tensor, 288 bytes\n"
              "input x: f32[1, 2, 5, 5]\n"
              "param w: f32[4, 2, 3, 3]\n"
              "block1/conv:\n    y = Conv(x, w) pads=[1, 1, 1, 1]\n"
              "block1/act:\n    z = Relu(y)\n"
              "output z: f32[1, 4, 5, 5]\n");
}

TEST(OnnxImport, pointsEveryNodeAtItsLineAndScope)
{
    const ModelResult result = importText(convolution());
    ASSERT_TRUE(result.graph);
    const Graph &graph = *result.graph;
    for (const Node &node : graph.nodes())
        EXPECT_TRUE(graph.sources().programRange(node.origin).isKnown()) << operationText(node);
    const Node &relu = graph.node(graph.outputs()[0]);
    EXPECT_EQ(graph.sources().programRange(relu.origin).line, 8U);
    EXPECT_EQ(graph.sources().scopePath(relu.scope), "block1/act");
}

TEST(OnnxImport, keepsInitializersAsParameters)
{
    const ModelResult result = importText(convolution());
    ASSERT_TRUE(result.graph);
    const Graph &graph = *result.graph;
    ASSERT_EQ(graph.placeholders().size(), 2U);
    const auto &w = attributesOf<PlaceholderAttributes>(graph.node(graph.placeholders()[1]));
    EXPECT_EQ(w.name, "w");
    EXPECT_EQ(w.role, PlaceholderRole::Param);
    ASSERT_TRUE(w.initial);
    EXPECT_EQ(w.initial->at(71).asFloat(), 0.5F);
}

TEST(OnnxImport, takesOpenDimensionsFromTheOptionsOrSaysThatItAssumesOne)
{
    const ModelText model{.inputs = {valueInfo("x", {-1, 3})},
                          .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {-1, 3})}};
    const ModelResult assumed = importText(model);
    ASSERT_TRUE(assumed.graph);
    EXPECT_EQ(assumed.graph->node(assumed.graph->outputs()[0]).shape, (Shape{1, 3}));
    ASSERT_EQ(assumed.diagnostics.size(), 1U);
    EXPECT_EQ(assumed.diagnostics[0].severity, Severity::Note);
    const ModelResult given = importText(model, {.dimensions = {{"n", 7}}});
    ASSERT_TRUE(given.graph);
    EXPECT_EQ(given.graph->node(given.graph->outputs()[0]).shape, (Shape{7, 3}));
    EXPECT_TRUE(given.diagnostics.empty());
}

TEST(OnnxImport, namesEveryMissingOperatorOnce)
{
    const ModelText model{.inputs = {valueInfo("x", {2})},
                          .nodes = {{.op = "Frobnicate", .inputs = {"x"}, .outputs = {"a"}, .name = "first"},
                                    {.op = "Frobnicate", .inputs = {"a"}, .outputs = {"b"}},
                                    {.op = "Twist", .inputs = {"b"}, .outputs = {"c"}, .domain = "com.example"}},
                          .outputs = {valueInfo("c", {2})}};
    const ModelResult result = importText(model);
    EXPECT_FALSE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 2U);
    EXPECT_EQ(result.diagnostics[0].code, Code::UnsupportedOperator);
    EXPECT_EQ(result.diagnostics[0].message,
              "operator Frobnicate of ai.onnx opset 13 is not supported; 2 nodes use it, Frobnicate 'first' first");
    EXPECT_EQ(result.diagnostics[1].message, "operator Twist of com.example opset 0 is not supported; 1 node uses it, "
                                             "com.example.Twist that makes 'c' first");
    EXPECT_EQ(result.diagnostics[0].where.line, 4U);
}

TEST(OnnxImport, saysWhyAnOperatorOfOnnxIsRefused)
{
    const ModelText model{.inputs = {valueInfo("x", {2})},
                          .nodes = {{.op = "RandomNormalLike", .inputs = {"x"}, .outputs = {"a"}}},
                          .outputs = {valueInfo("a", {2})}};
    const ModelResult result = importText(model);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].code, Code::UnsupportedOperator);
    EXPECT_NE(result.diagnostics[0].hint.find("which random values"), std::string::npos) << result.diagnostics[0].hint;
}

TEST(OnnxImport, makesNoLiteralsOfLargeConstants)
{
    const ModelText model{.inputs = {valueInfo("x", {1, 100000})},
                          .nodes = {{.op = "ConstantOfShape", .inputs = {"s"}, .outputs = {"w"}},
                                    {.op = "Add", .inputs = {"x", "w"}, .outputs = {"y"}}},
                          .outputs = {valueInfo("y", {10000, 100000})},
                          .initializers = {integerTensor("s", {2}, {10000, 100000})}};
    const ModelResult result = importText(model);
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->placeholders().size(), 1U); // the shape itself is no part of the graph
}

} // namespace sw::test
