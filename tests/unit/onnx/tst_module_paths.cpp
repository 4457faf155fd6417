// Modules of a model as scopes: from names, from what exporters write beside them, from weights; and repeated ones.

#include "engine/onnx/module_paths.h"

#include "engine/onnx/import.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

using onnx::ModulePath;

// The scope of what makes each value.
std::map<std::string, std::string> scopesOf(const ModelText &model)
{
    const ModelResult made = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    EXPECT_TRUE(made.graph) << toText(made.diagnostics);
    std::map<std::string, std::string> scopes;
    if (made.graph)
        for (const Node &node : made.graph->nodes())
            scopes[node.name] = made.graph->sources().scopePath(node.scope);
    return scopes;
}

NodeText unary(const std::string &op, const std::string &from, const std::string &to, const std::string &name)
{
    return {.op = op, .inputs = {from}, .outputs = {to}, .name = name};
}

// So many layers of a Neg and an Abs, then a last one of a single operator.
ModelText layered(int layers)
{
    ModelText model{.inputs = {valueInfo("x", {2})}, .nodes = {}, .outputs = {valueInfo("y", {2})}};
    std::string last = "x";
    for (int i = 0; i < layers; ++i) {
        const std::string layer = "/encoder/layer." + std::to_string(i);
        const std::string number = std::to_string(i);
        model.nodes.push_back(unary("Neg", last, "n" + number, layer + "/inner/Neg"));
        model.nodes.push_back(unary("Abs", "n" + number, "a" + number, layer + "/Abs"));
        last = "a" + number;
    }
    model.nodes.push_back(unary("Relu", last, "y", "/encoder/layer." + std::to_string(layers) + "/Relu"));
    return model;
}

TEST(ModulePaths, standInOneScopeWhenTheyRepeat)
{
    const auto scopes = scopesOf(layered(12));
    EXPECT_EQ(scopes.at("n0"), "encoder/layer 0-11 x 12/layer.0/inner");
    EXPECT_EQ(scopes.at("a11"), "encoder/layer 0-11 x 12/layer.11");
    EXPECT_EQ(scopes.at("y"), "encoder/layer.12");
    ModelText whole = layered(3);
    whole.nodes.back() = unary("Relu", "a2", "y", "/head/Relu");
    EXPECT_EQ(scopesOf(whole).at("a2"), "encoder/layer x 3/layer.2");
    EXPECT_EQ(scopesOf(whole).at("y"), "head");
}

TEST(ModulePaths, doNotRepeatWhenTheyDiffer)
{
    ModelText model = layered(2);
    model.nodes[3] = unary("Exp", "n1", "a1", "/encoder/layer.1/Exp");
    const auto scopes = scopesOf(model);
    EXPECT_EQ(scopes.at("a0"), "encoder/layer.0");
    EXPECT_EQ(scopes.at("a1"), "encoder/layer.1");
}

TEST(ModulePaths, comeFromTheNamesOfWeightsWithoutOthers)
{
    const auto scopes =
        scopesOf({.inputs = {valueInfo("x", {1, 2})},
                  .nodes = {{.op = "Gemm", .inputs = {"x", "net.0.fc.weight"}, .outputs = {"t"}, .name = "Gemm_0"},
                            {.op = "Relu", .inputs = {"t"}, .outputs = {"y"}}},
                  .outputs = {valueInfo("y", {1, 2})},
                  .initializers = {floatTensor("net.0.fc.weight", {2, 2}, {1, 2, 3, 4})}});
    EXPECT_EQ(scopes.at("t"), "net/0/fc");
    EXPECT_EQ(scopes.at("y"), "");
}

TEST(ModulePaths, holdWhatStandsBetweenTheirWeights)
{
    const auto scopes = scopesOf({.inputs = {valueInfo("x", {1, 2})},
                                  .nodes = {{.op = "Gemm", .inputs = {"x", "net.a.fc.weight"}, .outputs = {"t"}},
                                            {.op = "Relu", .inputs = {"t"}, .outputs = {"u"}},
                                            {.op = "Gemm", .inputs = {"u", "net.b.fc.weight"}, .outputs = {"y"}}},
                                  .outputs = {valueInfo("y", {1, 2})},
                                  .initializers = {floatTensor("net.a.fc.weight", {2, 2}, {1, 2, 3, 4}),
                                                   floatTensor("net.b.fc.weight", {2, 2}, {1, 2, 3, 4})}});
    EXPECT_EQ(scopes.at("t"), "net/a/fc");
    EXPECT_EQ(scopes.at("u"), "net");
    EXPECT_EQ(scopes.at("y"), "net/b/fc");
}

TEST(ModulePaths, areReadFromMetadata)
{
    EXPECT_EQ(onnx::modulesInNameScopes("['', 'features', 'features.0', 'conv2d']"), (ModulePath{"features", "0"}));
    EXPECT_EQ(onnx::modulesInNameScopes("['', 'relu']"), ModulePath());
    EXPECT_EQ(onnx::modulesInNameScopes("['', 'a"), ModulePath());
    EXPECT_EQ(onnx::modulesInNameScopes(""), ModulePath());
    EXPECT_EQ(onnx::modulesInNamespace(": Model/fc: torch.nn.modules.linear.Linear/addmm: aten.addmm.default"), ModulePath{"fc"});
    EXPECT_EQ(onnx::modulesInNamespace(": M/layer: L/layer.1: B/add: aten.add"), (ModulePath{"layer", "1"}));
    EXPECT_EQ(onnx::modulesInNamespace(""), ModulePath());
}

TEST(ModulePaths, inMetadataComeBeforeTheName)
{
    const Message entry = Message().text(1, "pkg.torch.onnx.name_scopes").text(2, "['', 'encoder', 'encoder.0', 'neg']");
    const Message node = Message().text(1, "x").text(2, "y").text(3, "/other/Neg").text(4, "Neg").message(9, entry);
    const Message graph =
        Message().message(1, node).text(2, "g").message(11, valueInfo("x", {2})).message(12, valueInfo("y", {2}));
    const ModelResult made = importOnnx(Message().number(1, 10).message(7, graph).message(8, Message().number(2, 18)).asBytes(),
                                        "test.onnx", libraryOptions(), {});
    ASSERT_TRUE(made.graph) << toText(made.diagnostics);
    const Node &neg = made.graph->node(made.graph->outputs()[0]);
    EXPECT_EQ(made.graph->sources().scopePath(neg.scope), "encoder/0");
}

} // namespace
} // namespace sw::test
