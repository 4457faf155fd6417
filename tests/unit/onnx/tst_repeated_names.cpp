// Values that are defined more than once, names that repeat, and names that are missing.

#include "engine/graph/interpreter.h"
#include "engine/onnx/import.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <array>

namespace sw::test {
namespace {

struct Ran {
    std::vector<double> output; // the first one
    Diagnostics diagnostics;
};

// x is [1, -2].
Ran run(const ModelText &model)
{
    ModelResult imported = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    if (!imported.graph) {
        ADD_FAILURE() << toText(imported.diagnostics);
        return {{}, imported.diagnostics};
    }
    std::vector<HostTensor> values;
    for (const NodeId id : imported.graph->placeholders()) {
        const auto &attributes = attributesOf<PlaceholderAttributes>(imported.graph->node(id));
        values.push_back(attributes.initial != nullptr ? *attributes.initial : floats({2}, {1, -2}));
    }
    const auto results = interpretGraph(*imported.graph, values);
    if (!results) {
        ADD_FAILURE() << toText(results.error());
        return {{}, imported.diagnostics};
    }
    return {elementsOf(results->front()), imported.diagnostics};
}

void expectWarningOf(const Diagnostics &diagnostics, const std::string &name, std::uint32_t line)
{
    ASSERT_EQ(diagnostics.size(), 1U) << toText(diagnostics);
    EXPECT_EQ(diagnostics.front().severity, Severity::Warning);
    EXPECT_EQ(diagnostics.front().code, Code::DuplicateName);
    EXPECT_NE(diagnostics.front().message.find("'" + name + "'"), std::string::npos) << diagnostics.front().message;
    EXPECT_EQ(diagnostics.front().where.line, line);
}

TEST(RepeatedNames, readTheLastDefinitionBefore)
{
    // t = -x; a = t + t; t = a * a; z = t + a
    const Ran ran = run({.inputs = {valueInfo("x", {2})},
                         .nodes = {{.op = "Neg", .inputs = {"x"}, .outputs = {"t"}},
                                   {.op = "Add", .inputs = {"t", "t"}, .outputs = {"a"}},
                                   {.op = "Mul", .inputs = {"a", "a"}, .outputs = {"t"}},
                                   {.op = "Add", .inputs = {"t", "a"}, .outputs = {"z"}}},
                         .outputs = {valueInfo("z", {2})}});
    EXPECT_EQ(ran.output, (std::vector<double>{2, 20}));
    expectWarningOf(ran.diagnostics, "t", 6);
}

TEST(RepeatedNames, giveTheLastDefinitionAsOutput)
{
    const Ran ran =
        run({.inputs = {valueInfo("x", {2})},
             .nodes = {{.op = "Relu", .inputs = {"x"}, .outputs = {"z"}}, {.op = "Neg", .inputs = {"z"}, .outputs = {"z"}}},
             .outputs = {valueInfo("z", {2})}});
    EXPECT_EQ(ran.output, (std::vector<double>{-1, 0}));
    expectWarningOf(ran.diagnostics, "z", 5);
}

TEST(RepeatedNames, takeTheLastInitializer)
{
    const Ran ran = run({.inputs = {valueInfo("x", {2})},
                         .nodes = {{.op = "Add", .inputs = {"x", "w"}, .outputs = {"z"}}},
                         .outputs = {valueInfo("z", {2})},
                         .initializers = {floatTensor("w", {2}, {9, 9}), floatTensor("w", {2}, {1, 2})}});
    EXPECT_EQ(ran.output, (std::vector<double>{2, 0}));
    expectWarningOf(ran.diagnostics, "w", 4);
}

TEST(RepeatedNames, reachIntoBodies)
{
    // The branch reads t as it is when the If runs.
    const GraphText branch{
        .inputs = {}, .nodes = {{.op = "Add", .inputs = {"t", "t"}, .outputs = {"b"}}}, .outputs = {valueInfo("b", {2})}};
    const GraphText other{
        .inputs = {}, .nodes = {{.op = "Neg", .inputs = {"t"}, .outputs = {"c"}}}, .outputs = {valueInfo("c", {2})}};
    const Ran ran =
        run({.inputs = {valueInfo("x", {2})},
             .nodes = {{.op = "Neg", .inputs = {"x"}, .outputs = {"t"}},
                       {.op = "Cast", .inputs = {"one"}, .outputs = {"yes"}, .attributes = {integerAttribute("to", kBool)}},
                       {.op = "If",
                        .inputs = {"yes"},
                        .outputs = {"y"},
                        .attributes = {graphAttribute("then_branch", branch), graphAttribute("else_branch", other)}},
                       {.op = "Mul", .inputs = {"x", "x"}, .outputs = {"t"}},
                       {.op = "Add", .inputs = {"t", "y"}, .outputs = {"z"}}},
             .outputs = {valueInfo("z", {2})},
             .initializers = {integerTensor("one", {}, {1})}});
    EXPECT_EQ(ran.output, (std::vector<double>{-1, 8}));
    expectWarningOf(ran.diagnostics, "t", 14);
}

TEST(RepeatedNames, mayBeThoseOfNodesAndMayBeMissing)
{
    const Ran ran = run({.inputs = {valueInfo("x", {2})},
                         .nodes = {{.op = "Neg", .inputs = {"x"}, .outputs = {"t"}, .name = "same"},
                                   {.op = "Abs", .inputs = {"t"}, .outputs = {"u"}, .name = "same"},
                                   {.op = "Add", .inputs = {"t", "u"}, .outputs = {"z"}}},
                         .outputs = {valueInfo("z", {2})}});
    EXPECT_EQ(ran.output, (std::vector<double>{0, 4}));
    EXPECT_TRUE(ran.diagnostics.empty()) << toText(ran.diagnostics);
}

TEST(RepeatedNames, letAnInitializerBeAnOutput)
{
    const Ran ran = run({.inputs = {valueInfo("x", {2})},
                         .nodes = {{.op = "Neg", .inputs = {"x"}, .outputs = {"y"}}},
                         .outputs = {valueInfo("w", {2}), valueInfo("y", {2})},
                         .initializers = {floatTensor("w", {2}, {3, 4})}});
    EXPECT_EQ(ran.output, (std::vector<double>{3, 4}));
}

} // namespace
} // namespace sw::test
