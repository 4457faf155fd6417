#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/structure.h"
#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr std::string_view kEveryKind = R"(stepwell graph 1
%0 = placeholder {name = "x", role = input} : f32[2, 3] #x
%1 = placeholder {name = "w w", role = param, random = 7} : f32[2, 3] #"w w"
%2 = placeholder {name = "b", role = param, seed = 3, value = [1.5, -0.0, nan, inf]} : f16[4]
%3 = buffer : u8[10]
%4 = const_scalar {value = 0.1} : f32[]
%5 = vconst {value = fill(true)} : bool[2, 3]
%6 = vconst {value = [3, -1, 2]} : i64[3]
%7 = vconst {value = []} : i8[0, 4]
%8 = reshape %4 : f32[1, 1] @"layer/relu"
%9 = expand %8 : f32[2, 3] @"layer/relu"
%10 = max %0, %9 : f32[2, 3] @"layer/relu" #hidden
%11 = neg %10 : f32[2, 3] @"layer~2"
%12 = where %5, %11, %1 : f32[2, 3] @"layer~2/relu"
%13 = view %12 {strides = [-1], offset = 4, mask = [[0, 5]]} : f32[6]
%14 = permute %12 {axes = [1, 0]} : f32[3, 2]
%15 = pad %14 {before = [0, 1], after = [2, 0], fill = -inf} : f32[5, 3]
%16 = shrink %15 {begin = [1, 0], end = [4, 3]} : f32[3, 3]
%17 = flip %16 {axes = [0, 1]} : f32[3, 3]
%18 = reduce_axis max %17 {axes = [1]} : f32[3, 1]
%19 = cast %18 : i32[3, 1]
%20 = bitcast %19 : f32[3, 1]
%21 = contiguous %20 : f32[3, 1]
%22 = cat %21, %21 {axis = 1} : f32[3, 2]
%23 = reshape %6 : i64[3, 1]
%24 = gather %22, %23 {axis = 1} : f32[3, 1]
%25 = index %22, %6 : f32[3]
sink %24, %25, %13, %7, %3, %2 {names = ["output", "a \"b\"", "c", "d", "e", "f"]}
)";

std::string printed(const Graph &graph)
{
    return printGraph(graph).text;
}

TEST(GraphText, readsAndWritesEveryKind)
{
    const auto graph = parseGraph(kEveryKind, "every.graph");
    ASSERT_TRUE(graph) << toText(graph.error());
    EXPECT_EQ(printed(*graph), kEveryKind);
}

TEST(GraphText, writesBigTensorsAsHex)
{
    TestGraph t;
    HostTensor values(DType::U16, {65});
    for (std::int64_t i = 0; i < 65; ++i)
        values.set(i, Scalar::of(DType::U16, 1000 + i));
    const Graph graph = t.finish({t.builder.vconst(t.here, values)});
    const std::string text = printed(graph);
    EXPECT_NE(text.find("value = hex(e803e903"), std::string::npos) << text;
    const auto again = parseGraph(text, "t.graph");
    ASSERT_TRUE(again) << toText(again.error());
    EXPECT_TRUE(isSameStructure(graph, *again));
}

TEST(GraphText, leavesBigTensorsOutForPeople)
{
    TestGraph t;
    HostTensor values(DType::U16, {2});
    values.set(0, Scalar::of(DType::U16, 1.0));
    const Graph graph = t.finish({t.builder.vconst(t.here, values)});
    const std::string text = printGraph(graph, {.maxTensorBytes = 3}).text;
    EXPECT_NE(text.find("value = omitted(2 elements: 1, 0)"), std::string::npos) << text;
    const auto again = parseGraph(text, "t.graph");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().front().message, "the elements of the constant, u16[2] are not in this text");
}

TEST(GraphText, namesTheConstantThatIsLeftOut)
{
    for (const char *line : {"%0 = vconst {value = omitted(9 elements: 1.0, 2.0, 3.0, ...)} : f32[9] #weights",
                             "%0 = placeholder {name = \"weights\", role = param, value = omitted(9 elements: 1.0)} : f32[9]"}) {
        const auto read = parseGraph(format("stepwell graph 1\n{}\nsink %0 {{names = [\"y\"]}}\n", line), "t.graph");
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().front().message, "the elements of \"weights\", f32[9] are not in this text");
        EXPECT_EQ(read.error().front().where.line, 2U);
    }
}

TEST(GraphText, keepsScopesApartThatShareANameAndParent)
{
    const auto graph = parseGraph(kEveryKind, "every.graph");
    ASSERT_TRUE(graph);
    const ScopeId first = graph->node(NodeId(8U)).scope;
    const ScopeId second = graph->node(NodeId(12U)).scope;
    EXPECT_NE(first, second);
    EXPECT_EQ(graph->sources().scopePath(first), "layer/relu");
    EXPECT_EQ(graph->sources().scopePath(second), "layer/relu");
}

TEST(GraphText, tellsWhichLineShowsWhichNode)
{
    const auto graph = parseGraph(kEveryKind, "every.graph");
    ASSERT_TRUE(graph);
    const GraphText text = printGraph(*graph);
    ASSERT_EQ(text.lines.size(), graph->size() + 1);
    EXPECT_FALSE(text.lines[0].isValid());
    EXPECT_EQ(text.lines[5], NodeId(4U));
}

TEST(GraphText, makesOneSourceItemPerLine)
{
    const auto graph = parseGraph(kEveryKind, "every.graph");
    ASSERT_TRUE(graph);
    EXPECT_EQ(graph->sources().programRange(graph->node(NodeId(4U)).origin), (SourceRange{"every.graph", 6, 1, 6, 40}));
}

TEST(GraphText, acceptsCommentsAndAnyNumbers)
{
    const auto graph =
        parseGraph("// mine\n\nstepwell graph 1\n%7 = const_scalar {value = 1} : i32[]\n  // two\n%3 = neg %7 : i32[]\n"
                   "sink %3 {names = [\"y\"]}\n",
                   "t.graph");
    ASSERT_TRUE(graph) << toText(graph.error());
    EXPECT_EQ(printed(*graph),
              "stepwell graph 1\n%0 = const_scalar {value = 1} : i32[]\n%1 = neg %0 : i32[]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_TRUE(isGraphText("// mine\n\nstepwell graph 1\n"));
    EXPECT_FALSE(isGraphText("input x: f32[2]\n"));
}

TEST(GraphText, reportsEveryMalformedLine)
{
    const auto graph = parseGraph("stepwell graph 1\n"
                                  "%0 = placeholder {name = \"x\", role = input} : f32[2]\n"
                                  "%1 = frobnicate %0 : f32[2]\n"
                                  "%2 = add %1, %0 : f32[2]\n"
                                  "%3 = neg %9 : f32[2]\n"
                                  "%4 = neg %0 : f32[3]\n"
                                  "%5 = reduce_axis add %0 {axis = 0} : f32[1]\n"
                                  "%6 = neg %0 : f99[2]\n"
                                  "%7 = shl %0, %0 : f32[2]\n"
                                  "%8 = neg %0 : f32[2] extra\n"
                                  "%0 = neg %0 : f32[2]\n",
                                  "t.graph");
    ASSERT_FALSE(graph);
    std::string all;
    for (const Diagnostic &diagnostic : graph.error())
        all += format("{}:{}: {}\n", diagnostic.where.line, diagnostic.where.column, diagnostic.message);
    EXPECT_EQ(all, "3:6: there is no operation \"frobnicate\"\n"
                   "5:10: %9 is not defined before this line\n"
                   "6:15: neg gives f32[2], not f32[3]\n"
                   "7:1: reduce_axis add needs the attribute axes\n"
                   "8:15: there is no element type \"f99\"\n"
                   "9:6: shl does not take operands of type f32\n"
                   "10:22: expected the end of the line, not \"extra\"\n"
                   "11:1: %0 is defined twice\n");
}

TEST(GraphText, rejectsTextsThatAreNoGraph)
{
    EXPECT_FALSE(parseGraph("", "t.graph"));
    EXPECT_FALSE(parseGraph("stepwell graph 2\n", "t.graph"));
    EXPECT_FALSE(parseGraph("stepwell graph 1\n", "t.graph"));
    EXPECT_FALSE(parseGraph("stepwell graph 1\n%0 = vconst {value = fill(0)} : u8[4294967296, 65536]\n", "t.graph"));
    EXPECT_FALSE(parseGraph("stepwell graph 1\n%0 = vconst {value = hex(00)} : u8[4294967296, 65536]\n", "t.graph"));
    EXPECT_FALSE(parseGraph("stepwell graph 1\nsink {names = []}\nsink {names = []}\n", "t.graph"));
}

// Any text that comes from cutting and changing a good one is read or refused; it never crashes.
TEST(GraphText, survivesDamagedTexts)
{
    std::uint32_t state = 12345;
    const auto random = [&state](std::size_t bound) {
        state = state * 1664525U + 1013904223U;
        return static_cast<std::size_t>(state >> 8U) % bound;
    };
    constexpr std::string_view kPieces = "%0=:[],{}\"#@()~- \n19afx";
    for (int round = 0; round < 2000; ++round) {
        std::string text(kEveryKind);
        for (std::size_t change = random(4) + 1; change > 0; --change) {
            const std::size_t at = random(text.size());
            if (random(3) == 0)
                text.erase(at, random(40));
            else
                text[at] = kPieces[random(kPieces.size())];
        }
        const auto graph = parseGraph(text, "t.graph");
        EXPECT_TRUE(graph || graph.error().front().where.isKnown()) << text;
    }
}

} // namespace
} // namespace sw
