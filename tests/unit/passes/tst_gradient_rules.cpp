// Every operation and every kind of node has a gradient that agrees with central differences, or stands in a table that says why
// it has none.

#include "engine/passes/graph/gradient_rules.h"
#include "tests/unit/passes/gradient_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace sw::test {
namespace {

// Operations of floats that give a float, and have no gradient all the same.
const std::set<Op> kWithoutGradient = {};

bool isOfFloats(Op op)
{
    return accepts(op, DType::F64) && resultType(op, DType::F64) == DType::F64;
}

HostTensor positive(const HostTensor &values)
{
    HostTensor out(values.dtype(), values.shape());
    for (std::int64_t i = 0; i < values.elements(); ++i)
        out.set(i, Scalar::of(DType::F64, std::abs(values.at(i).asDouble())));
    return out;
}

bool needsPositive(Op op)
{
    return op == Op::Log || op == Op::Log2 || op == Op::Sqrt || op == Op::RecipSqrt || op == Op::Pow;
}

// The operands of an operation: where takes the sign of another input for its condition.
GraphFunction functionOf(Op op)
{
    return [op](TestGraph &graph, std::span<const NodeId> inputs) {
        std::vector<NodeId> operands(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(arityOf(op)));
        if (op == Op::Where) {
            const NodeId zero = graph.builder.constScalar(graph.here, Scalar::of(DType::F64, 0.0));
            operands[0] = graph.apply(Op::Cmplt, {zero, operands[0]});
        }
        return graph.builder.elementwise(graph.here, op, operands).value();
    };
}

std::vector<HostTensor> operandsOf(Op op)
{
    std::vector<HostTensor> operands;
    for (std::uint32_t i = 0; i < arityOf(op); ++i) {
        const HostTensor sample = sampleOf(Shape{12}, i);
        operands.push_back(needsPositive(op) ? positive(sample) : sample);
    }
    return operands;
}

TEST(GradientRules, haveARowForEveryOperationOfFloats)
{
    for (const Op op : allOps()) {
        const bool isExcused = kWithoutGradient.contains(op) || !isOfFloats(op);
        EXPECT_NE(gradientOf(op) != nullptr, isExcused) << nameOf(op);
    }
}

TEST(GradientRules, agreeWithDifferencesForEveryOperation)
{
    for (const OperationGradient &row : operationGradients())
        EXPECT_EQ(gradientFault(functionOf(row.op), operandsOf(row.op), arityOf(row.op)), "") << nameOf(row.op);
}

TEST(GradientRules, canBeDifferentiatedAgain)
{
    for (const OperationGradient &row : operationGradients())
        EXPECT_EQ(secondGradientFault(functionOf(row.op), operandsOf(row.op), arityOf(row.op)), "") << nameOf(row.op);
}

// Where an operand is 0, 1 or equal to the other one, the slope is the mean of those on both sides, or has been chosen.
TEST(GradientRules, areDecidedAtKinks)
{
    struct Case {
        Op op;
        std::vector<HostTensor> operands;
        std::vector<double> expected;
    };
    const auto scalar = [](double value) { return tensorOf(Shape{}, {value}); };
    const std::array cases = {
        Case{Op::Max, {scalar(2), scalar(2)}, {0.5, 0.5}},
        Case{Op::Min, {scalar(2), scalar(2)}, {0.5, 0.5}},
        Case{Op::Abs, {scalar(0)}, {0}},
        Case{Op::Relu, {scalar(0)}, {0}},
        Case{Op::Satur01, {scalar(1)}, {0}},
        Case{Op::Pow, {scalar(0), scalar(2)}, {0, 0}},
        Case{Op::Pow, {scalar(0), scalar(1)}, {1, 0}},
        Case{Op::Pow, {scalar(0), scalar(0)}, {0, 0}},
        Case{Op::Pow, {scalar(-2), scalar(3)}, {12}},
        Case{Op::Floor, {scalar(2)}, {0}},
    };
    for (const Case &sample : cases) {
        for (std::size_t i = 0; i < sample.expected.size(); ++i) {
            TestGraph graph;
            std::vector<NodeId> inputs;
            for (std::size_t k = 0; k < sample.operands.size(); ++k)
                inputs.push_back(graph.input(DType::F64, Shape{}, format("x{}", k)));
            const NodeId value = graph.builder.elementwise(graph.here, sample.op, inputs).value();
            const NodeId gradient = graph.builder.gradient(graph.here, value, inputs[i]).value();
            const auto found = meaningOf(graph.finish({gradient}), sample.operands);
            ASSERT_TRUE(found) << toText(found.error());
            EXPECT_EQ(found->front().at(0).asDouble(), sample.expected[i]) << nameOf(sample.op) << " operand " << i;
        }
    }
}

// ---- other kinds of nodes

struct KindSample {
    const char *name;
    NodeKind kind;
    std::vector<HostTensor> inputs;
    GraphFunction function;
};

HostTensor indicesOf(const Shape &shape, std::initializer_list<std::int64_t> values)
{
    HostTensor out(DType::I32, shape);
    std::int64_t i = 0;
    for (const std::int64_t value : values)
        out.set(i++, Scalar::of(DType::I32, value));
    return out;
}

NodeId viewOf(TestGraph &graph, NodeId input, Shape shape, ViewAttributes view)
{
    return graph.builder.view(graph.here, input, std::move(shape), std::move(view)).value();
}

GraphFunction reduction(Op op, std::vector<std::size_t> axes)
{
    return [op, axes](TestGraph &graph, std::span<const NodeId> x) {
        return graph.builder.reduce(graph.here, op, x[0], axes).value();
    };
}

std::vector<KindSample> movementSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    return {
        {"reshape",
         NodeKind::Reshape,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.reshape(g.here, x[0], Shape{2, 6}).value(); }},
        {"permute",
         NodeKind::Permute,
         {sampleOf(Shape{2, 3, 4})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.permute(g.here, x[0], {2, 0, 1}).value(); }},
        {"expand",
         NodeKind::Expand,
         {sampleOf(Shape{3, 1, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.expand(g.here, x[0], Shape{3, 4, 2}).value(); }},
        {"pad",
         NodeKind::Pad,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.pad(g.here, x[0], {{1, 0}, {2, 3}, Scalar::of(DType::F64, 7.0)}).value();
         }},
        {"shrink",
         NodeKind::Shrink,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.shrink(g.here, x[0], {{1, 0}, {3, 2}}).value(); }},
        {"flip",
         NodeKind::Flip,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.flip(g.here, x[0], {1}).value(); }},
        {"contiguous_backward",
         NodeKind::ContiguousBackward,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.contiguousBackward(g.here, x[0]).value(); }},
        // A part of the rows backwards, some of it masked.
        {"view",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 3}, {{4, -1}, 2, {{0, 2}, {1, 3}}}); }},
        {"viewOfWindows",
         NodeKind::View,
         {sampleOf(Shape{11})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{4, 4}, {{2, 1}, 1, {}}); }},
        {"viewOfWindows2d",
         NodeKind::View,
         {sampleOf(Shape{5, 6})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 2, 3, 3}, {{6, 2, 6, 1}, 0, {}}); }},
        {"viewThatRepeats",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{2, 3, 2}, {{0, 5, 1}, 0, {}}); }},
        {"viewOfDilatedWindows",
         NodeKind::View,
         {sampleOf(Shape{13})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{3, 3}, {{3, 2}, 2, {}}); }},
        {"viewOfManyWindows",
         NodeKind::View,
         {sampleOf(Shape{40})},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{20, 18}, {{1, 1}, 2, {}}); }},
        {"viewOfOne",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{}, {{}, 7, {}}); }},
        {"viewOfNothing",
         NodeKind::View,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return viewOf(g, x[0], Shape{0, 2}, {{0, 2}, -9, {}}); }},
    };
}

std::vector<KindSample> reductionSamples()
{
    const HostTensor block = sampleOf(Shape{2, 5, 3});
    const HostTensor zeros = tensorOf(Shape{3, 3}, {0, 2, 3, 0, 0, 5, -1.5, 2.5, 0.5});
    return {
        {"sum", NodeKind::ReduceAxis, {block}, reduction(Op::Add, {0, 2})},
        {"max", NodeKind::ReduceAxis, {block}, reduction(Op::Max, {1})},
        {"min", NodeKind::ReduceAxis, {block}, reduction(Op::Min, {0, 1, 2})},
        {"product", NodeKind::ReduceAxis, {block}, reduction(Op::Mul, {1})},
        {"productOverTwoAxes", NodeKind::ReduceAxis, {block}, reduction(Op::Mul, {0, 2})},
        {"productWithZeros", NodeKind::ReduceAxis, {zeros}, reduction(Op::Mul, {1})},
        {"productOfOne", NodeKind::ReduceAxis, {sampleOf(Shape{3, 1})}, reduction(Op::Mul, {1})},
        {"productOfNothing", NodeKind::ReduceAxis, {HostTensor(DType::F64, Shape{2, 0})}, reduction(Op::Mul, {1})},
    };
}

std::vector<KindSample> otherSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    return {
        {"cast",
         NodeKind::Cast,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId whole = g.builder.cast(g.here, x[0], DType::I32).value(); // zero
             const NodeId back = g.builder.cast(g.here, whole, DType::F64).value();
             return g.apply(Op::Add, {g.apply(Op::Mul, {x[0], x[0]}), back});
         }},
        {"contiguous",
         NodeKind::Contiguous,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.contiguous(g.here, x[0]).value(); }},
        {"cat",
         NodeKind::Cat,
         {matrix, sampleOf(Shape{3, 2}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.cat(g.here, std::array{x[0], x[1], x[0]}, 1).value(); }},
        {"gather",
         NodeKind::Gather,
         {matrix, indicesOf(Shape{2, 3}, {3, 0, 3, 1, 1, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gather(g.here, x[0], x[1], 1).value(); }},
        {"gatherOutOfRange",
         NodeKind::Gather,
         {matrix, indicesOf(Shape{2, 2}, {-1, 2, 9, 2})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gather(g.here, x[0], x[1], 0).value(); }},
        {"index",
         NodeKind::Index,
         {matrix, indicesOf(Shape{5}, {11, 0, 7, 7, 3})},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.index(g.here, x[0], x[1], std::nullopt).value(); }},
        {"indexWhereValid",
         NodeKind::Index,
         {matrix, indicesOf(Shape{2, 2}, {5, 1, 5, 2})},
         [](TestGraph &g, std::span<const NodeId> x) {
             const NodeId two = g.builder.constScalar(g.here, Scalar::of(DType::I32, std::int64_t{2}));
             return g.builder.index(g.here, x[0], x[1], g.apply(Op::Cmpne, {x[1], two})).value();
         }},
    };
}

GraphFunction marked(NodeKind kind, const NodeAttributes &attributes)
{
    return [kind, attributes](TestGraph &g, std::span<const NodeId> x) {
        return g.builder.marker(g.here, kind, x[0], attributes).value();
    };
}

GraphFunction scattered(ScatterMode mode)
{
    return [mode](TestGraph &g, std::span<const NodeId> x) {
        return g.builder.scatter(g.here, x[0], x[2], x[1], {1, mode}).value();
    };
}

std::vector<KindSample> compositeSamples()
{
    const HostTensor matrix = sampleOf(Shape{3, 4});
    const std::vector<HostTensor> scatter = {matrix, sampleOf(Shape{2, 3}, 1), indicesOf(Shape{2, 3}, {3, 0, 3, 1, 2, 9})};
    return {
        {"scatterSet", NodeKind::Scatter, scatter, scattered(ScatterMode::Set)},
        {"scatterAdd", NodeKind::Scatter, scatter, scattered(ScatterMode::Add)},
        {"scatterMax", NodeKind::Scatter, scatter, scattered(ScatterMode::Max)},
        {"bufferView",
         NodeKind::BufferView,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.bufferView(g.here, x[0], 3, 6).value(); }},
        {"gep",
         NodeKind::Gep,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.gep(g.here, x[0], {3, 1, 1}).value(); }},
        {"vectorize",
         NodeKind::Vectorize,
         {matrix, sampleOf(Shape{3, 4}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.vectorize(g.here, std::array{x[0], x[1], x[0]}).value();
         }},
        {"wmma",
         NodeKind::Wmma,
         {matrix, sampleOf(Shape{4, 2}, 1), sampleOf(Shape{3, 2}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.wmma(g.here, x[0], x[1], x[2]).value(); }},
        {"contract",
         NodeKind::Contract,
         {matrix, sampleOf(Shape{4, 3, 2}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) {
             return g.builder.contract(g.here, std::array{x[0], x[1]}, "ij,jik->ki").value();
         }},
        {"fuse", NodeKind::Fuse, {matrix}, marked(NodeKind::Fuse, NoAttributes{})},
        {"unroll", NodeKind::Unroll, {matrix}, marked(NodeKind::Unroll, UnrollAttributes{2})},
        {"unique", NodeKind::Unique, {matrix}, marked(NodeKind::Unique, UniqueAttributes{1})},
        {"noop", NodeKind::Noop, {matrix}, marked(NodeKind::Noop, NoAttributes{})},
        {"device",
         NodeKind::Device,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.onDevice(g.here, x[0], "other").value(); }},
        {"copy",
         NodeKind::Copy,
         {matrix},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.copy(g.here, x[0], {"other"}).value(); }},
        {"multi of parts",
         NodeKind::Multi,
         {matrix, sampleOf(Shape{3, 1}, 1), sampleOf(Shape{3, 2}, 2)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.multi(g.here, x, {1, {true, false, true}}).value(); }},
        {"multi of copies",
         NodeKind::Multi,
         {matrix, sampleOf(Shape{3, 4}, 1)},
         [](TestGraph &g, std::span<const NodeId> x) { return g.builder.multi(g.here, x, {}).value(); }},
    };
}

std::vector<KindSample> allSamples()
{
    std::vector<KindSample> all = movementSamples();
    for (auto &samples : {reductionSamples(), otherSamples(), compositeSamples()})
        all.insert(all.end(), samples.begin(), samples.end());
    return all;
}

// Kinds that no sample shows, and why.
const std::map<NodeKind, const char *> kWithoutSample = {
    {NodeKind::Placeholder, "reads nothing"},
    {NodeKind::Buffer, "reads nothing"},
    {NodeKind::ConstScalar, "reads nothing"},
    {NodeKind::Vconst, "reads nothing"},
    {NodeKind::DefineVar, "reads nothing"},
    {NodeKind::Bind, "an integer: none"},
    {NodeKind::Unary, "an operation: see above"},
    {NodeKind::Binary, "an operation: see above"},
    {NodeKind::Ternary, "an operation: see above"},
    {NodeKind::Bitcast, "bits have no slope: an error"},
    {NodeKind::Detach, "stops gradients: differences do not show it"},
    {NodeKind::Gradient, "written out before: see the second gradients"},
    {NodeKind::Valid, "reads nothing"},
    {NodeKind::Threefry, "bits have no slope: none"},
    {NodeKind::Uniform, "bits have no slope: none"},
    {NodeKind::Sink, "nothing reads it"},
};

TEST(GradientRules, haveASampleForEveryKindOfNode)
{
    std::set<NodeKind> shown;
    for (const KindSample &sample : allSamples())
        shown.insert(sample.kind);
    for (const NodeKind kind : allNodeKinds())
        EXPECT_NE(shown.contains(kind), kWithoutSample.contains(kind)) << nameOf(kind);
}

TEST(GradientRules, agreeWithDifferencesForEveryKindOfNode)
{
    for (const KindSample &sample : allSamples()) {
        const std::size_t floats = static_cast<std::size_t>(
            std::ranges::count(sample.inputs, DType::F64, [](const HostTensor &input) { return input.dtype(); }));
        EXPECT_EQ(gradientFault(sample.function, sample.inputs, floats), "") << sample.name;
        // Squared before, so that the second gradient is not zero.
        const GraphFunction squared = [&sample](TestGraph &graph, std::span<const NodeId> inputs) {
            std::vector<NodeId> changed(inputs.begin(), inputs.end());
            changed[0] = graph.apply(Op::Mul, {inputs[0], inputs[0]});
            return sample.function(graph, changed);
        };
        EXPECT_EQ(secondGradientFault(squared, sample.inputs, floats), "") << sample.name;
    }
}

// Equal extremes share the gradient.
TEST(GradientRules, shareTheGradientOfAMaximumAmongEquals)
{
    TestGraph graph;
    const NodeId x = graph.input(DType::F16, Shape{2, 4});
    const NodeId largest = graph.builder.reduce(graph.here, Op::Max, x, {1}).value();
    const NodeId sum = graph.builder.reduce(graph.here, Op::Add, largest, {0}).value();
    const NodeId gradient = graph.builder.gradient(graph.here, sum, x).value();
    HostTensor values(DType::F16, Shape{2, 4});
    const std::array numbers{1, 3, 3, 2, 5, 5, 5, 5};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        values.set(static_cast<std::int64_t>(i), Scalar::of(DType::F16, std::int64_t{numbers[i]}));
    const auto found = meaningOf(graph.finish({gradient}), std::array{values});
    ASSERT_TRUE(found) << toText(found.error());
    const std::array expected{0.0, 0.5, 0.5, 0.0, 0.25, 0.25, 0.25, 0.25};
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(found->front().at(static_cast<std::int64_t>(i)).asDouble(), expected[i]);
}

} // namespace
} // namespace sw::test
