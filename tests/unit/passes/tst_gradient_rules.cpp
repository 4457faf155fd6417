// Every operation and every kind of node has a gradient that agrees with central differences, or stands in a table that says why
// it has none.

#include "engine/passes/graph/gradient_rules.h"
#include "tests/unit/passes/gradient_fixture.h"
#include "tests/unit/passes/gradient_samples.h"

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

// Kinds that no sample shows, and why.
const std::map<NodeKind, const char *> kWithoutSample = {
    {NodeKind::Placeholder, "reads nothing"},
    {NodeKind::Buffer, "reads nothing"},
    {NodeKind::ConstScalar, "reads nothing"},
    {NodeKind::Vconst, "reads nothing"},
    {NodeKind::Iota, "reads nothing"},
    {NodeKind::DefineVar, "reads nothing"},
    {NodeKind::Bind, "an integer: none"},
    {NodeKind::Custom, "that of its reference: see the programs of each node"},
    {NodeKind::Unary, "an operation: see above"},
    {NodeKind::Binary, "an operation: see above"},
    {NodeKind::Ternary, "an operation: see above"},
    {NodeKind::Bitcast, "bits have no slope: an error"},
    {NodeKind::Detach, "stops gradients: differences do not show it"},
    {NodeKind::Gradient, "written out before: see the second gradients"},
    {NodeKind::Valid, "reads nothing"},
    {NodeKind::Threefry, "bits have no slope: none"},
    {NodeKind::Uniform, "bits have no slope: none"},
    {NodeKind::ScanCarry, "of a scan as a whole: see the programs with scans"},
    {NodeKind::ScanSlice, "likewise"},
    {NodeKind::ScanLast, "likewise"},
    {NodeKind::ScanRows, "likewise"},
    {NodeKind::Crop, "only outputs are cropped"},
    {NodeKind::Sink, "nothing reads it"},
};

TEST(GradientRules, haveASampleForEveryKindOfNode)
{
    std::set<NodeKind> shown;
    for (const KindSample &sample : gradientSamples())
        shown.insert(sample.kind);
    for (const NodeKind kind : allNodeKinds())
        EXPECT_NE(shown.contains(kind), kWithoutSample.contains(kind)) << nameOf(kind);
}

TEST(GradientRules, agreeWithDifferencesForEveryKindOfNode)
{
    for (const KindSample &sample : gradientSamples()) {
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
