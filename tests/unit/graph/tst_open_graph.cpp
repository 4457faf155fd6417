// A graph for many sizes, made of graphs for some: what its numbers become, and what keeps a dimension from staying open.

#include "engine/graph/open_graph.h"
#include "engine/graph/printer.h"
#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace sw {
namespace {

using Sizes = std::vector<std::int64_t>;
using Body = std::function<NodeId(TestGraph &, NodeId x, std::int64_t n)>;

// Of x: f32[n, 4], where every line of the program but the input's is line 2.
Result<OpenGraph> opened(const Body &body, std::int64_t low = 1, std::int64_t high = 64)
{
    return openGraph({{"n", low, high}}, [&](const Sizes &sizes) -> Result<Graph> {
        TestGraph test;
        const NodeId x = test.input(DType::F32, Shape{sizes[0], 4});
        test.here = originOfLine(2);
        return test.finish({body(test, x, sizes[0])});
    });
}

std::string typeOfOutput(const OpenGraph &open)
{
    const Node &node = open.graph.node(open.graph.outputs()[0]);
    return typeText(node.dtype, node.shape);
}

std::string messageOf(const Body &body)
{
    const auto open = opened(body);
    if (open)
        return printGraph(open->graph).text;
    const Diagnostic &why = open.error().front();
    EXPECT_EQ(why.code, Code::Unsupported);
    return format("{}: {}", why.where.line, why.message);
}

HostTensor counted(Shape shape, double first, double step)
{
    HostTensor made(DType::F32, std::move(shape));
    for (std::int64_t i = 0; i < made.elements(); ++i)
        made.set(i, Scalar::of(DType::F32, first + step * static_cast<double>(i)));
    return made;
}

TEST(OpenGraph, hasExpressionsWhereNumbersDiffer)
{
    const auto open = opened([](TestGraph &test, NodeId x, std::int64_t n) {
        const NodeId flat = test.builder.reshape(test.here, x, Shape{n * 4}).value();
        return test.builder.shrink(test.here, flat, {{1}, {n * 4 - 2}}).value();
    });
    ASSERT_TRUE(open) << toText(open.error());
    EXPECT_EQ(typeOfOutput(*open), "f32[4*n - 3]");
    EXPECT_EQ(open->dimensions, (std::vector<SymbolicVariable>{{"n", 1, 64}}));
    const Node &dimension = open->graph.node(NodeId(0U));
    ASSERT_EQ(dimension.kind, NodeKind::DefineVar);
    EXPECT_TRUE(dimension.origin.contains(SourceId(0U))) << "it comes from the input's line";
    const Node &usual = open->graph.node(NodeId(1U));
    ASSERT_EQ(usual.kind, NodeKind::Bind);
    EXPECT_EQ(attributesOf<BoundAttributes>(usual).value, 1);
    EXPECT_EQ(open->graph.node(open->made[1]).kind, NodeKind::Reshape);
    EXPECT_TRUE(open->graph.node(open->made[1]).origin.contains(SourceId(1U)));
}

TEST(OpenGraph, computesConstantsOfTheDimensions)
{
    const auto open = opened([](TestGraph &test, NodeId x, std::int64_t n) {
        const NodeId number = test.builder.constScalar(test.here, Scalar::of(DType::F32, static_cast<double>(2 * n + 1)));
        const NodeId row = test.builder.vconst(test.here, counted(Shape{n, 1}, 3, 2));
        const NodeId same = test.builder.vconst(test.here, counted(Shape{n, 4}, 0.5, 0));
        return test.apply(Op::Add, {test.apply(Op::Mul, {x, number}), test.apply(Op::Add, {row, same})});
    });
    ASSERT_TRUE(open) << toText(open.error());
    EXPECT_EQ(typeOfOutput(*open), "f32[n, 4]");
    const auto hasKind = [&](NodeKind kind) {
        return std::ranges::any_of(open->graph.nodes(), [&](const Node &node) { return node.kind == kind; });
    };
    EXPECT_FALSE(hasKind(NodeKind::Vconst));
    EXPECT_TRUE(hasKind(NodeKind::Iota));
}

TEST(OpenGraph, doesNotStayOpenWhereANumberIsNoSumOfProducts)
{
    const auto cut = [](std::int64_t (*end)(std::int64_t)) {
        return [end](TestGraph &test, NodeId x, std::int64_t n) {
            return test.builder.shrink(test.here, x, {{0, 0}, {end(n), 4}}).value();
        };
    };
    for (const Body &body : {Body(cut([](std::int64_t n) { return std::min<std::int64_t>(n, 40); })),
                             Body(cut([](std::int64_t n) { return (n + 1) / 2; })),
                             Body(cut([](std::int64_t n) { return n % 4 == 0 ? n : n - 1; }))}) {
        const std::string message = messageOf(body);
        EXPECT_TRUE(message.starts_with("2: for n = ")) << message;
        EXPECT_NE(message.find("the program is another one at: "), std::string::npos) << message;
    }
}

TEST(OpenGraph, doesNotStayOpenWhereTheGraphsAreOthers)
{
    EXPECT_TRUE(messageOf([](TestGraph &test, NodeId x, std::int64_t n) {
                    return test.apply(n > 9 ? Op::Exp2 : Op::Neg, {x});
                }).starts_with("2: for n = 17 the program is another one at: "));
    const auto odd = openGraph({{"n", 1, 64}}, [](const Sizes &sizes) -> Result<Graph> {
        if (sizes[0] % 2 == 1)
            return Diagnostic::error(Code::ShapeMismatch, {}, "{} elements do not fill it", sizes[0]);
        TestGraph test;
        return test.finish({test.input(DType::F32, Shape{sizes[0]})});
    });
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().front().message, "there is no program for n = 5: 5 elements do not fill it");
    const auto many = openGraph({{"a", 1, 9}, {"b", 1, 9}, {"c", 1, 9}, {"d", 1, 9}},
                                [](const Sizes &) -> Result<Graph> { return TestGraph().finish({}); });
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().front().message, "there are 4 of them, and at most 3 are kept open");
}

// An operation that has no rule for dimensions.
TEST(OpenGraph, namesTheLineOfAnOperationWithoutDimensions)
{
    const std::string message = messageOf([](TestGraph &test, NodeId x, std::int64_t n) {
        const NodeId turned = test.builder.permute(test.here, x, {1, 0}).value();
        return test.builder.reshape(test.here, turned, Shape{n * 4}).value();
    });
    EXPECT_TRUE(
        message.starts_with("2: cannot reshape [4, n] to [4*n]: a dimension known only at run time would not be outermost"))
        << message;
}

TEST(OpenGraph, beginsAtTwoWhereOneIsSpecial)
{
    const auto open =
        opened([](TestGraph &test, NodeId x, std::int64_t n) { return test.apply(n == 1 ? Op::Exp2 : Op::Neg, {x}); });
    ASSERT_TRUE(open) << toText(open.error());
    EXPECT_EQ(open->dimensions, (std::vector<SymbolicVariable>{{"n", 2, 64}}));
    EXPECT_EQ(attributesOf<DimensionAttributes>(open->graph.node(NodeId(0U))).variable.low, 2);
}

// Where an extent is 1, nothing has to be repeated.
TEST(OpenGraph, beginsAtOneWhereItIsMadeOfOtherNodesOnly)
{
    const auto open = opened([](TestGraph &test, NodeId x, std::int64_t n) {
        const NodeId row = test.builder.vconst(test.here, counted(Shape{1, 4}, 0.25, 0.5));
        return test.apply(Op::Add, {x, test.builder.expand(test.here, row, Shape{n, 4}).value()});
    });
    ASSERT_TRUE(open) << toText(open.error());
    EXPECT_EQ(open->dimensions, (std::vector<SymbolicVariable>{{"n", 1, 64}}));
}

TEST(OpenGraph, triesNoSizeThatNobodyAskedFor)
{
    std::vector<std::int64_t> tried;
    const auto body = [&](TestGraph &test, NodeId x, std::int64_t n) {
        tried.push_back(n);
        return test.apply(Op::Neg, {x});
    };
    ASSERT_TRUE(opened(body, 3, 7));
    EXPECT_GE(std::ranges::min(tried), 3);
    EXPECT_EQ(std::ranges::max(tried), 7);
}

} // namespace
} // namespace sw
