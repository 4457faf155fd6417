// Models of any length and depth: what a file can nest, and chains that a recursion would not survive.

#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

constexpr std::size_t kLength = 500000;
constexpr std::size_t kKnownLength = 100000; // of chains that are computed besides

// first -> v0 -> v1 -> ... -> last
std::vector<NodeText> chain(const std::string &op, std::size_t length, const std::string &first, const std::string &last)
{
    std::vector<NodeText> nodes;
    nodes.reserve(length);
    std::string before = first;
    for (std::size_t i = 0; i < length; ++i) {
        std::string made = i + 1 == length ? last : "v" + std::to_string(i);
        nodes.push_back({.op = op, .inputs = {before}, .outputs = {made}});
        before = std::move(made);
    }
    return nodes;
}

ModelResult importText(const ModelText &model, const ModelOptions &options = {})
{
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(options), {});
}

ModelText reshaping(const Message &input, const Message &initializer)
{
    ModelText model{.inputs = {valueInfo("x", {4, 6}), input},
                    .nodes = chain("Neg", kKnownLength, "k", "s"),
                    .outputs = {valueInfo("y", {-1})},
                    .initializers = {initializer}};
    model.nodes.push_back({.op = "Reshape", .inputs = {"x", "s"}, .outputs = {"y"}});
    return model;
}

} // namespace

TEST(DeepModels, importsAChain)
{
    const ModelResult result = importText(
        {.inputs = {valueInfo("x", {2})}, .nodes = chain("Relu", kLength, "x", "y"), .outputs = {valueInfo("y", {2})}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_GE(result.graph->size(), kLength);
}

TEST(DeepModels, followsAChainOfConstants)
{
    ModelText model = reshaping(valueInfo("unused", {1}), integerTensor("k", {2}, {8, 3}));
    const ModelResult result = importText(model);
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{8, 3}));
}

TEST(DeepModels, followsAChainBehindAnInputThatIsGiven)
{
    HostTensor k(DType::I64, Shape{2});
    k.set(0, Scalar::of(DType::I64, std::int64_t{8}));
    k.set(1, Scalar::of(DType::I64, std::int64_t{3}));
    const ModelResult result =
        importText(reshaping(valueInfo("k", {2}, kInt64), integerTensor("unused", {1}, {0})), {.givenInputs = {{"k", k}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{8, 3}));
}

TEST(DeepModels, refusesGraphsNestedTooDeep)
{
    Message graph;
    for (int depth = 0; depth < 2000; ++depth) {
        const Message attribute = Message().text(1, "then_branch").message(6, graph).number(20, 5);
        graph = Message().message(1, nodeMessage({.op = "If", .inputs = {"c"}, .outputs = {"y"}, .attributes = {attribute}}));
    }
    const ModelResult result = importOnnx(Message().number(1, 8).message(7, graph).message(8, Message().number(2, 13)).asBytes(),
                                          "test.onnx", libraryOptions(), {});
    EXPECT_FALSE(result.graph);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_EQ(result.diagnostics[0].code, Code::MalformedModel);
}

TEST(DeepModels, limitsTheDepthOfScopes)
{
    std::string path;
    for (int depth = 0; depth < 100000; ++depth)
        path += "a/";
    const ModelResult result = importText({.inputs = {valueInfo("x", {2})},
                                           .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"y"}, .name = path + "Relu"}},
                                           .outputs = {valueInfo("y", {2})}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const Node &relu = result.graph->node(result.graph->outputs()[0]);
    EXPECT_LT(result.graph->sources().scopePath(relu.scope).size(), 200U);
}

} // namespace sw::test
