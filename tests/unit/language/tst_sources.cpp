// Where graph nodes come from: files, scopes, callers and names.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

// The nodes of an operation, in order.
std::vector<const Node *> nodesWith(const Graph &graph, Op op)
{
    std::vector<const Node *> found;
    for (const Node &node : graph.nodes()) {
        if (familyOf(node.kind) == NodeFamily::Elementwise && node.kind != NodeKind::Cast && node.op == op)
            found.push_back(&node);
    }
    return found;
}

const SourceItem &itemOf(const Graph &graph, const Node &node)
{
    return graph.sources().item(node.origin.sources().front());
}

TEST(LanguageSources, theProgramIsTheFirstFile)
{
    const std::string text = "input x: f32[2]\noutput sigmoid(x)\n";
    const ProgramResult compiled = compileText(text);
    ASSERT_GE(compiled.sources->files().size(), 2U);
    EXPECT_EQ(compiled.sources->file(SourceMap::programFile()).name, "test.sw");
    EXPECT_EQ(compiled.sources->file(SourceMap::programFile()).text, text);
    EXPECT_EQ(compiled.sources->files()[1].name, "library/sigmoid.sw");
}

TEST(LanguageSources, anOriginIsTheExpressionThatMadeTheNode)
{
    const ProgramResult compiled = compileText("input x: f32[2]\ny = exp(x) +\\\n  x * 3\noutput y\n");
    ASSERT_TRUE(compiled.graph);
    const Node *product = nodesWith(*compiled.graph, Op::Mul).at(0);
    EXPECT_EQ(itemOf(*compiled.graph, *product).label, "x * 3");
    EXPECT_EQ(itemOf(*compiled.graph, *product).range, (SourceRange{"test.sw", 3, 3, 3, 8}));
    const Node *exponential = nodesWith(*compiled.graph, Op::Exp).at(0);
    EXPECT_EQ(itemOf(*compiled.graph, *exponential).label, "exp");
}

TEST(LanguageSources, aConstantComesFromItsNumber)
{
    const ProgramResult compiled = compileText("input x: f32[2]\noutput x * 3\n");
    ASSERT_TRUE(compiled.graph);
    const auto constant = std::ranges::find(compiled.graph->nodes(), NodeKind::ConstScalar, &Node::kind);
    ASSERT_NE(constant, compiled.graph->nodes().end());
    EXPECT_EQ(itemOf(*compiled.graph, *constant).range, (SourceRange{"test.sw", 2, 12, 2, 13}));
}

TEST(LanguageSources, callsOpenScopesAndNameTheirCaller)
{
    const ProgramResult compiled = compileText("input x: f32[2]\n"
                                               "def block(v):\n"
                                               "    return sigmoid(v)\n"
                                               "output block(x)\n"
                                               "output block(x * 2)\n");
    ASSERT_TRUE(compiled.graph);
    const SourceMap &sources = *compiled.sources;
    const auto exponentials = nodesWith(*compiled.graph, Op::Exp);
    ASSERT_EQ(exponentials.size(), 2U);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const Node &node = *exponentials[i];
        EXPECT_EQ(sources.scopePath(node.scope), "block/sigmoid");
        EXPECT_EQ(itemOf(*compiled.graph, node).range.file, "library/sigmoid.sw");
        // In the program it stands where the library is called, and that call stands in a body that line 4 or 5 calls.
        EXPECT_EQ(sources.programRange(node.origin).line, 3U);
        const SourceItem &call = sources.item(itemOf(*compiled.graph, node).caller);
        EXPECT_EQ(call.label, "sigmoid");
        EXPECT_EQ(sources.item(call.caller).range.line, 4U + i);
    }
    EXPECT_NE(exponentials[0]->scope, exponentials[1]->scope);
    EXPECT_FALSE(exponentials[0]->origin.meets(exponentials[1]->origin));
}

TEST(LanguageSources, nodesAreNamedAfterTheFirstVariable)
{
    const ProgramResult compiled = compileText("input x: f32[2]\nhidden = exp(x)\nother = hidden\noutput last = other + x\n");
    ASSERT_TRUE(compiled.graph);
    EXPECT_EQ(nodesWith(*compiled.graph, Op::Exp).at(0)->name, "hidden");
    EXPECT_EQ(nodesWith(*compiled.graph, Op::Add).at(0)->name, "last");
    EXPECT_EQ(compiled.graph->outputNames(), (std::vector<std::string>{"last"}));
}

TEST(LanguageSources, theSinkComesFromTheOutputKeywords)
{
    const ProgramResult compiled = compileText("input x: f32[2]\noutput exp(x)\noutput y = x + 1\n");
    ASSERT_TRUE(compiled.graph);
    const std::span<const SourceId> sources = compiled.graph->node(compiled.graph->sink()).origin.sources();
    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(compiled.sources->item(sources[0]).range, (SourceRange{"test.sw", 2, 1, 2, 7}));
    EXPECT_EQ(compiled.sources->item(sources[1]).range, (SourceRange{"test.sw", 3, 1, 3, 7}));
}

TEST(LanguageSources, unnamedOutputsAreCounted)
{
    const ProgramResult compiled = compileText("input x: f32[2]\noutput x\noutput y = x + 1\noutput x + 2\n");
    ASSERT_TRUE(compiled.graph);
    EXPECT_EQ(compiled.graph->outputNames(), (std::vector<std::string>{"output", "y", "output1"}));
}

TEST(LanguageSources, everyTurnOfALoopIsAnItemOfItsOwn)
{
    const ProgramResult compiled = compileText("input x: f32[2]\nfor i in range(3):\n    x = exp(x)\noutput x\n");
    ASSERT_TRUE(compiled.graph);
    const auto turns = nodesWith(*compiled.graph, Op::Exp);
    ASSERT_EQ(turns.size(), 3U);
    EXPECT_FALSE(turns[0]->origin.meets(turns[1]->origin));
    EXPECT_EQ(itemOf(*compiled.graph, *turns[0]).range, itemOf(*compiled.graph, *turns[2]).range);
}

TEST(LanguageSources, compilingTwiceGivesTheSameItems)
{
    const std::string text = readText(resourceFolder() / "examples/attention.sw");
    const ProgramResult first = compileText(text);
    const ProgramResult second = compileText(text);
    ASSERT_TRUE(first.graph && second.graph);
    ASSERT_EQ(first.sources->items().size(), second.sources->items().size());
    ASSERT_EQ(first.graph->size(), second.graph->size());
    for (std::size_t i = 0; i < first.graph->size(); ++i)
        EXPECT_EQ(first.graph->nodes()[i].origin, second.graph->nodes()[i].origin);
}

} // namespace
} // namespace sw::test
