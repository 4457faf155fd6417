#include "engine/graph/parser.h"
#include "engine/graph/verify.h"
#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

// A graph of a parameter, its negation and the sink, changed by the test before it is verified.
struct Changed {
    std::vector<Node> nodes;

    Changed()
    {
        TestGraph t;
        const NodeId x = t.input(DType::F32, {2, 3});
        const NodeId y = t.input(DType::F32, {2, 3}, "y");
        const Graph graph = t.finish({t.apply(Op::Add, {x, y})});
        nodes.assign(graph.nodes().begin(), graph.nodes().end());
    }
    std::string verdict()
    {
        const auto result = verifyGraph(Graph(nodes, testSources()));
        return result ? "valid" : toText(result.error());
    }
};

TEST(VerifyGraph, acceptsWhatTheBuilderMakes)
{
    EXPECT_EQ(Changed().verdict(), "valid");
}

TEST(VerifyGraph, comparesTypesWithWhatIsInferred)
{
    Changed t;
    t.nodes[2].shape = Shape{3, 2};
    EXPECT_NE(t.verdict().find("test.sw:1:3: error: %2 add has type f32[3, 2], but its inputs give f32[2, 3]"), std::string::npos)
        << t.verdict();
    t.nodes[2].shape = Shape{2, 3};
    t.nodes[2].dtype = DType::F64;
    EXPECT_NE(t.verdict().find("has type f64[2, 3]"), std::string::npos) << t.verdict();
}

TEST(VerifyGraph, wantsOriginsOfTheSourceMap)
{
    Changed t;
    t.nodes[2].origin = Origin(SourceId(kTestLines));
    EXPECT_NE(t.verdict().find("%2 add comes from item 8 of a program with 8"), std::string::npos) << t.verdict();
}

TEST(VerifyGraph, wantsScopesOfTheSourceMap)
{
    Changed t;
    t.nodes[1].scope = ScopeId(5U);
    EXPECT_NE(t.verdict().find("stands in scope 5 of 1"), std::string::npos) << t.verdict();
}

TEST(VerifyGraph, wantsUniqueNames)
{
    Changed t;
    std::get<PlaceholderAttributes>(t.nodes[1].attributes).name = "x";
    t.nodes[3].inputs = {NodeId(2U), NodeId(2U)};
    std::get<SinkAttributes>(t.nodes[3].attributes).outputNames = {"a", "a"};
    EXPECT_NE(t.verdict().find("has the name \"x\" of another placeholder"), std::string::npos) << t.verdict();
    EXPECT_NE(t.verdict().find("has two outputs of the name \"a\""), std::string::npos) << t.verdict();
}

TEST(VerifyGraph, wantsOneDefinitionOfADimension)
{
    const std::string lines = "stepwell graph 1\n"
                              "%0 = define_var {name = \"n\", low = 1, high = 8} : i64[]\n"
                              "%1 = define_var {name = \"n\", low = 1, high = 9} : i64[]\n"
                              "%2 = add %0, %1 : i64[]\nsink %2 {names = [\"output\"]}\n";
    const auto graph = parseGraph(lines, "t.graph");
    const std::string said = graph ? "valid" : toText(graph.error());
    EXPECT_NE(said.find("t.graph:3:"), std::string::npos) << said;
    EXPECT_NE(said.find("the name \"n\" of another dimension"), std::string::npos) << said;
}

TEST(VerifyGraph, wantsTheAttributesOfTheKind)
{
    Changed t;
    t.nodes[2].attributes = AxisAttributes{0};
    EXPECT_NE(t.verdict().find("has attributes, and its kind has none"), std::string::npos) << t.verdict();
    t.nodes[2].attributes = NoAttributes{};
    t.nodes[1].attributes = AxisAttributes{0};
    EXPECT_NE(t.verdict().find("attributes of another kind"), std::string::npos) << t.verdict();
}

} // namespace
} // namespace sw
