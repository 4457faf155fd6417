// Operators that a model defines itself.

#include "tests/support/meaning.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

// scaled(x[, y]) = LeakyRelu(x) with the caller's slope, 0.5 without one, + y if there is one.
FunctionText scaled()
{
    return {
        .name = "Scaled",
        .domain = "ours",
        .inputs = {"x"},
        .outputs = {"z"},
        .nodes = {{.op = "LeakyRelu", .inputs = {"x"}, .outputs = {"z"}, .attributes = {referenceAttribute("alpha", "slope")}}},
        .defaults = {numberAttribute("slope", 0.5F)}};
}

FunctionText clipped()
{
    return {.name = "Clipped",
            .domain = "ours",
            .inputs = {"x", "low", "high"},
            .outputs = {"y"},
            .nodes = {{.op = "Clip", .inputs = {"x", "low", "high"}, .outputs = {"c"}},
                      {.op = "Scaled", .inputs = {"c"}, .outputs = {"y"}, .domain = "ours"}}};
}

struct Call {
    std::string op;
    std::vector<std::string> inputs = {"x"};
    std::vector<Message> attributes = {};
};

ModelResult importCall(const Call &call, std::vector<FunctionText> functions)
{
    const ModelText model{
        .inputs = {valueInfo("x", {3})},
        .nodes = {{.op = call.op, .inputs = call.inputs, .outputs = {"y"}, .attributes = call.attributes, .domain = "ours"}},
        .outputs = {valueInfo("y", {3})},
        .initializers = {floatTensor("two", {}, {2})},
        .functions = std::move(functions)};
    return importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
}

std::vector<double> valuesOf(const Call &call, const std::vector<FunctionText> &functions)
{
    const ModelResult result = importCall(call, functions);
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    if (!result.graph)
        return {};
    std::vector<HostTensor> values;
    for (const NodeId id : result.graph->placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(result.graph->node(id));
        values.push_back(attributes.initial != nullptr ? *attributes.initial : floats(Shape{3}, {-8, 1, 4}));
    }
    const auto outputs = meaningOf(*result.graph, values);
    EXPECT_TRUE(outputs);
    return outputs ? elementsOf(outputs->front()) : std::vector<double>();
}

using Numbers = std::vector<double>;

} // namespace

TEST(ModelFunctions, takeAttributesOfTheCallerOrTheirDefaults)
{
    EXPECT_EQ(valuesOf({"Scaled"}, {scaled()}), (Numbers{-4, 1, 4}));
    EXPECT_EQ(valuesOf({"Scaled", {"x"}, {numberAttribute("slope", 0.25F)}}, {scaled()}), (Numbers{-2, 1, 4}));
}

TEST(ModelFunctions, callOthersAndMayLeaveInputsOut)
{
    EXPECT_EQ(valuesOf({"Clipped", {"x", "", "two"}}, {scaled(), clipped()}), (Numbers{-4, 1, 2}));
    EXPECT_EQ(valuesOf({"Clipped", {"x"}}, {scaled(), clipped()}), (Numbers{-4, 1, 4}));
}

TEST(ModelFunctions, areListedAndMakeAScopePerCall)
{
    const ModelResult result = importCall({"Clipped"}, {scaled(), clipped()});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_NE(result.sources->file(SourceMap::programFile())
                  .text.find("function ours.Scaled: # opset 13, ours 1\n"
                             "    input x\n"
                             "    z = LeakyRelu(x) alpha=@slope\n"
                             "    output z\n"),
              std::string::npos);
    bool isFound = false;
    for (const Scope &scope : result.sources->scopes())
        isFound = isFound || (scope.name == "Scaled" && result.sources->scope(scope.parent).name == "Clipped");
    EXPECT_TRUE(isFound);
}

TEST(ModelFunctions, refuseWhatHasNoEnd)
{
    FunctionText self = scaled();
    self.nodes.front() = {.op = "Scaled", .inputs = {"x"}, .outputs = {"z"}, .domain = "ours"};
    const ModelResult result = importCall({"Scaled"}, {self});
    EXPECT_FALSE(result.graph);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_NE(result.diagnostics.front().message.find("nested more than 32 deep"), std::string::npos);
}

TEST(ModelFunctions, refuseInputsThatTheyDoNotHave)
{
    const ModelResult result = importCall({"Scaled", {"x", "two"}}, {scaled()});
    EXPECT_FALSE(result.graph);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_NE(result.diagnostics.front().message.find("there are 2 inputs, and the function has 1"), std::string::npos);
}

} // namespace sw::test
