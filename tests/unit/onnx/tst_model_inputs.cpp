// Open dimensions of a model's inputs: from the tensors that are given, from numbers, or assumed; and what contradicts each
// other.

#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

ModelText sumOf(const Message &a, const Message &b)
{
    return {.inputs = {a, b},
            .nodes = {{.op = "Add", .inputs = {"a", "b"}, .outputs = {"y"}}},
            .outputs = {openInfo("y", {"batch", "3"})}};
}

ModelText twoOpen()
{
    return sumOf(openInfo("a", {"batch", "3"}), openInfo("b", {"batch", "width"}));
}

ModelResult importText(const ModelText &model, const ModelOptions &options)
{
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(options), {});
}

HostTensor zeros(Shape shape)
{
    return HostTensor(DType::F32, std::move(shape));
}

std::string onlyMessage(const ModelText &model, const ModelOptions &options)
{
    const ModelResult result = importText(model, options);
    EXPECT_EQ(result.diagnostics.size(), 1U) << toText(result.diagnostics);
    EXPECT_FALSE(result.graph);
    return result.diagnostics.empty() ? std::string() : result.diagnostics.front().message;
}

} // namespace

TEST(ModelInputs, takeDimensionsFromGivenTensors)
{
    // The width has the name that the batch has not: one given tensor settles the other input too.
    const ModelResult result =
        importText(sumOf(openInfo("a", {"batch", "3"}), openInfo("b", {"batch", "3"})), {.givenInputs = {{"b", zeros({5, 3})}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_TRUE(result.diagnostics.empty());
    for (const NodeId id : result.graph->placeholders())
        EXPECT_EQ(result.graph->node(id).shape, (Shape{5, 3}));
}

TEST(ModelInputs, assumeOneOncePerDimension)
{
    const ModelResult result = importText(twoOpen(), {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    ASSERT_EQ(result.diagnostics.size(), 2U);
    EXPECT_EQ(result.diagnostics[0].message, "dimension batch of input 'a' is open; 1 is assumed");
    EXPECT_EQ(result.diagnostics[1].message, "dimension width of input 'b' is open; 1 is assumed");
}

TEST(ModelInputs, nameDimensionsThatTheFileDoesNot)
{
    const ModelText model = sumOf(openInfo("a", {"", "3"}), openInfo("b", {"1", "3"}));
    const ModelResult result = importText(model, {.dimensions = {{"a.0", 4}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{4, 3}));
    EXPECT_NE(result.sources->file(SourceMap::programFile()).text.find("input a: f32[a.0, 3]"), std::string::npos);
}

TEST(ModelInputs, takeTheShapeOfAGivenTensorWhereTheFileHasNone)
{
    const Message shapeless = Message().text(1, "a").message(2, Message().message(1, Message().number(1, kFloat)));
    const ModelText model = sumOf(shapeless, openInfo("b", {"3"}));
    EXPECT_EQ(onlyMessage(model, {}), "input 'a' has no shape, and no tensor is given for it");
    const ModelResult result = importText(model, {.givenInputs = {{"a", zeros({2, 3})}}});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs()[0]).shape, (Shape{2, 3}));
}

TEST(ModelInputs, nameBothSidesOfAContradiction)
{
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"a", zeros({5, 3})}}, .dimensions = {{"batch", 4}}}),
              "the dimension batch is to be 4, but the tensor given for input 'a' makes it 5");
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"a", zeros({5, 3})}, {"b", zeros({6, 3})}}}),
              "the dimension batch is 5 by the tensor given for input 'a', and 6 by the one given for input 'b'");
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"a", zeros({5, 4})}}}),
              "input 'a' is f32[batch, 3], but the tensor given for it is f32[5, 4]");
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"a", zeros({5})}}}),
              "input 'a' is f32[batch, 3], but the tensor given for it is f32[5]");
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"a", HostTensor(DType::I64, Shape{5, 3})}}}),
              "input 'a' is f32[batch, 3], but the tensor given for it is i64[5, 3]");
}

TEST(ModelInputs, refuseNamesThatTheModelHasNot)
{
    EXPECT_EQ(onlyMessage(twoOpen(), {.dimensions = {{"length", 4}}}),
              "the model has no open dimension \"length\"; it has batch, width");
    EXPECT_EQ(onlyMessage(twoOpen(), {.dimensions = {{"batch", -4}}}), "the dimension batch cannot be -4");
    EXPECT_EQ(onlyMessage(twoOpen(), {.givenInputs = {{"c", zeros({1})}}}), "the model has no input \"c\"; it has a, b");
}

} // namespace sw::test
