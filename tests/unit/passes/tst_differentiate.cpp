// The pass itself: what it shares and leaves out, what it records, and what it cannot do.

#include "tests/unit/passes/gradient_fixture.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace sw::test {
namespace {

std::string differentiated(const std::string &lines)
{
    return afterPass(differentiate, lines);
}

TEST(Differentiate, leavesAGraphWithoutGradientsAsItIs)
{
    EXPECT_EQ(differentiated("%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n"
                             "%1 = neg %0 : f32[2]\n"
                             "sink %1 {names = [\"output\"]}\n"),
              "unchanged");
}

// One walk for both factors, in scopes that mirror those of the way there.
TEST(Differentiate, sharesTheWalkAndMirrorsTheScopes)
{
    EXPECT_EQ(differentiated("%0 = placeholder {name = \"x\", role = input} : f32[3] #x\n"
                             "%1 = placeholder {name = \"w\", role = input} : f32[3] #w\n"
                             "%2 = mul %0, %1 : f32[3] @\"layer\" #y\n"
                             "%3 = reduce_axis add %2 {axes = [0]} : f32[1] #loss\n"
                             "%4 = gradient %3, %1 : f32[3] #dw\n"
                             "%5 = gradient %3, %0 : f32[3] #dx\n"
                             "sink %4, %5 {names = [\"a\", \"b\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[3] #x\n"
              "%1 = placeholder {name = \"w\", role = input} : f32[3] #w\n"
              "%2 = const_scalar {value = 1.0} : f32[] @\"gradient\"\n"
              "%3 = reshape %2 : f32[1] @\"gradient\" #loss_grad\n"
              "%4 = expand %3 : f32[3] @\"gradient\" #y_grad\n"
              "%5 = mul %4, %1 : f32[3] @\"gradient/layer\" #dx\n"
              "%6 = mul %4, %0 : f32[3] @\"gradient/layer\" #dw\n"
              "sink %6, %5 {names = [\"a\", \"b\"]}\n");
}

TEST(Differentiate, addsUpWhatComesFromSeveralReaders)
{
    const GraphFunction function = [](TestGraph &graph, std::span<const NodeId> x) {
        const NodeId square = graph.apply(Op::Mul, {x[0], x[0]});
        return graph.apply(Op::Add, {graph.apply(Op::Mul, {square, x[0]}), graph.apply(Op::Sin, {x[0]})});
    };
    EXPECT_EQ(gradientFault(function, {sampleOf(Shape{4})}, 1), "");
    EXPECT_EQ(secondGradientFault(function, {sampleOf(Shape{4})}, 1), "");
}

TEST(Differentiate, addsUpOverBroadcastAxes)
{
    const GraphFunction function = [](TestGraph &graph, std::span<const NodeId> x) {
        return graph.apply(Op::Mul, {graph.apply(Op::Add, {x[0], x[1]}), x[2]});
    };
    EXPECT_EQ(gradientFault(function, {sampleOf(Shape{2, 3}), sampleOf(Shape{3}, 1), sampleOf(Shape{}, 2)}, 3), "");
}

// Values on the way to another one are as good as inputs, and the loss itself is one of them.
TEST(Differentiate, takesGradientsOfValuesOnTheWay)
{
    TestGraph graph;
    const NodeId x = graph.input(DType::F64, Shape{});
    const NodeId square = graph.apply(Op::Mul, {x, x});
    const NodeId loss = graph.apply(Op::Mul, {square, x});
    std::vector<NodeId> gradients;
    for (const NodeId wanted : {x, square, loss})
        gradients.push_back(graph.builder.gradient(graph.here, loss, wanted).value());
    const auto found = meaningOf(graph.finish(gradients), std::array{tensorOf(Shape{}, {3})});
    ASSERT_TRUE(found) << toText(found.error());
    EXPECT_EQ((*found)[0].at(0).asDouble(), 27);
    EXPECT_EQ((*found)[1].at(0).asDouble(), 3);
    EXPECT_EQ((*found)[2].at(0).asDouble(), 1);
}

TEST(Differentiate, takesThirdDerivatives)
{
    TestGraph graph;
    const NodeId x = graph.input(DType::F64, Shape{});
    NodeId value = graph.apply(Op::Mul, {graph.apply(Op::Mul, {x, x}), graph.apply(Op::Mul, {x, x})});
    for (int i = 0; i < 3; ++i)
        value = graph.builder.gradient(graph.here, value, x).value();
    const auto found = meaningOf(graph.finish({value}), std::array{tensorOf(Shape{}, {2})});
    ASSERT_TRUE(found) << toText(found.error());
    EXPECT_EQ(found->front().at(0).asDouble(), 48); // 24 x
}

TEST(Differentiate, givesZerosWhereTheLossDoesNotChange)
{
    // %2 is made after the loss, %3 only counts through its steps.
    EXPECT_EQ(differentiated("%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
                             "%1 = floor %0 : f32[] #loss\n"
                             "%2 = placeholder {name = \"y\", role = input} : f32[2] #y\n"
                             "%3 = gradient %1, %0 : f32[]\n"
                             "%4 = gradient %1, %2 : f32[2]\n"
                             "sink %3, %4 {names = [\"a\", \"b\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
              "%1 = placeholder {name = \"y\", role = input} : f32[2] #y\n"
              "%2 = const_scalar {value = 0.0} : f32[] @\"gradient\"\n"
              "%3 = reshape %2 : f32[1] @\"gradient\"\n"
              "%4 = expand %3 : f32[2] @\"gradient\"\n"
              "%5 = const_scalar {value = 0.0} : f32[] @\"gradient\"\n"
              "sink %5, %4 {names = [\"a\", \"b\"]}\n");
}

TEST(Differentiate, stopsAtDetachAndDropsIt)
{
    EXPECT_EQ(differentiated("%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
                             "%1 = detach %0 : f32[]\n"
                             "%2 = mul %0, %1 : f32[] #loss\n"
                             "%3 = gradient %2, %0 : f32[] #dx\n"
                             "sink %2, %3 {names = [\"a\", \"b\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
              "%1 = mul %0, %0 : f32[] #loss\n"
              "%2 = const_scalar {value = 1.0} : f32[] @\"gradient\" #loss_grad\n"
              "%3 = mul %2, %0 : f32[] @\"gradient\" #dx\n"
              "sink %1, %3 {names = [\"a\", \"b\"]}\n");
}

TEST(Differentiate, storesTheGradientThatGoesThroughContiguousBackward)
{
    EXPECT_EQ(differentiated("%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
                             "%1 = contiguous_backward %0 : f32[]\n"
                             "%2 = exp %1 : f32[] #loss\n"
                             "%3 = gradient %2, %0 : f32[]\n"
                             "sink %3 {names = [\"output\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
              "%1 = exp %0 : f32[] #loss\n"
              "%2 = const_scalar {value = 1.0} : f32[] @\"gradient\" #loss_grad\n"
              "%3 = mul %2, %1 : f32[] @\"gradient\"\n"
              "%4 = contiguous %3 : f32[] @\"gradient\" #x_grad\n"
              "sink %4 {names = [\"output\"]}\n");
}

TEST(Differentiate, saysWhatHasNoGradient)
{
    const Graph graph = graphOfLines("%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
                                     "%1 = bitcast %0 : i32[]\n"
                                     "%2 = bitcast %1 : f32[]\n"
                                     "%3 = gradient %2, %0 : f32[]\n"
                                     "sink %3 {names = [\"output\"]}\n");
    const Differentiated made = runDifferentiate(graph);
    ASSERT_FALSE(made.graph);
    EXPECT_EQ(toText(made.graph.error()),
              "t.graph:4:1: error: bitcast has no gradient, and the loss depends on it [unsupported]\n"
              "t.graph:5:1: note: the gradient is asked for here\n"
              "t.graph:4:1: hint: detach(x) lets its value count as a constant\n");
}

// After each rewrite the graph is whole, and what is left to do is in it.
TEST(Differentiate, meansTheSameAfterEveryRewrite)
{
    TestGraph made;
    const NodeId x = made.input(DType::F64, Shape{2, 3});
    const NodeId y = made.input(DType::F64, Shape{3}, "y");
    const NodeId product = made.apply(Op::Mul, {x, made.apply(Op::Exp, {y})});
    const NodeId mixed = made.apply(Op::Sub, {product, made.builder.detach(made.here, x).value()});
    const NodeId loss = made.builder.reduce(made.here, Op::Add, made.apply(Op::Tanh, {mixed}), {0, 1}).value();
    const NodeId dx = made.builder.gradient(made.here, loss, x).value();
    const NodeId dy = made.builder.gradient(made.here, loss, y).value();
    const NodeId slope = made.builder.reduce(made.here, Op::Add, made.apply(Op::Mul, {dx, dx}), {0, 1}).value();
    const NodeId second = made.builder.gradient(made.here, slope, y).value();
    const Graph graph = made.finish({dx, dy, second});
    const std::array inputs{sampleOf(Shape{2, 3}), sampleOf(Shape{3}, 1)};
    const auto expected = meaningOf(graph, inputs);
    ASSERT_TRUE(expected);
    const std::size_t rewrites = runDifferentiate(graph).events.size();
    EXPECT_GT(rewrites, 20U);
    for (std::uint32_t budget = 0; budget <= rewrites; ++budget) {
        const Differentiated part = runDifferentiate(graph, budget);
        ASSERT_TRUE(part.graph) << toText(part.graph.error());
        ASSERT_EQ(part.events.size(), budget);
        ASSERT_EQ(part.graph->has_value(), budget > 0);
        if (budget == 0)
            continue;
        ASSERT_TRUE(verifyGraph(**part.graph)) << "budget " << budget << "\n" << printGraph(**part.graph).text;
        const auto found = meaningOf(**part.graph, inputs);
        ASSERT_TRUE(found) << toText(found.error());
        for (std::size_t i = 0; i < expected->size(); ++i)
            for (std::int64_t k = 0; k < (*expected)[i].elements(); ++k)
                ASSERT_NEAR((*found)[i].at(k).asDouble(), (*expected)[i].at(k).asDouble(), 1e-12) << "budget " << budget;
    }
}

// The ids of the records are those of the graphs before and after the pass.
TEST(Differentiate, recordsARewritePerNode)
{
    const Graph graph = graphOfLines("%0 = placeholder {name = \"x\", role = input} : f32[] #x\n"
                                     "%1 = detach %0 : f32[]\n"
                                     "%2 = exp %0 : f32[]\n"
                                     "%3 = mul %2, %1 : f32[] #loss\n"
                                     "%4 = gradient %3, %0 : f32[]\n"
                                     "sink %4 {names = [\"output\"]}\n");
    const Differentiated made = runDifferentiate(graph);
    ASSERT_TRUE(made.graph && made.graph->has_value());
    std::string text;
    for (const RewriteEvent &event : made.events)
        text += format("{}: {}; {} -> {}\n", event.rule, event.detail, join(event.before, ", "), join(event.after, ", "));
    EXPECT_EQ(text, "start-gradient: of loss with respect to x; 4 -> 3\n"
                    "gradient-of-mul: loss -> %2 exp; 3, 4 -> 4\n"
                    "gradient-of-exp: %2 exp -> x; 2, 4 -> 5\n"
                    "drop-detach: no gradient is left to be written out; 1 -> 0\n");
    EXPECT_EQ((*made.graph)->node(NodeId(5U)).name, "x_grad");
}

// What is made for a node stands for it and for the call.
TEST(Differentiate, saysWhereEachNodeComesFrom)
{
    TestGraph made;
    const NodeId x = made.input(DType::F64, Shape{});
    const std::array operand{x};
    const NodeId sine = made.builder.elementwise(originOfLine(2), Op::Sin, operand).value();
    const NodeId gradient = made.builder.gradient(originOfLine(5), sine, x).value();
    const Differentiated part = runDifferentiate(made.finish({gradient}));
    ASSERT_TRUE(part.graph && part.graph->has_value());
    const Node &cosine = (*part.graph)->node(NodeId(3U));
    ASSERT_EQ(cosine.op, Op::Cos);
    EXPECT_TRUE(cosine.origin.meets(originOfLine(2)));
    EXPECT_TRUE(cosine.origin.meets(originOfLine(5)));
}

} // namespace
} // namespace sw::test
