// What is evaluated on stored elements is what the table of operations says of each, to the last bit.

#include "engine/graph/evaluate_node.h"
#include "engine/ops/op.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace sw {
namespace {

constexpr std::array kTypes{DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::BF16, DType::Bool};
constexpr std::array kBinary{Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Max, Op::Min};

std::vector<Scalar> specialValues(DType dtype)
{
    std::vector<Scalar> values{lowestOf(dtype), highestOf(dtype)};
    for (const std::int64_t value : {0, 1, -1, 3, -7})
        values.push_back(Scalar::of(dtype, value));
    if (isFloat(dtype))
        for (const double value : {-0.0, 0.1, -2.5, std::numeric_limits<double>::quiet_NaN(), 1e-45, 3e38})
            values.push_back(Scalar::of(dtype, value));
    return values;
}

// Each value beside each other one.
std::array<HostTensor, 2> pairsOf(const std::vector<Scalar> &values)
{
    const auto count = static_cast<std::int64_t>(values.size());
    const DType dtype = values.front().dtype();
    std::array pairs{HostTensor(dtype, Shape{count * count}), HostTensor(dtype, Shape{count * count})};
    for (std::int64_t i = 0; i < count * count; ++i) {
        pairs[0].set(i, values[static_cast<std::size_t>(i / count)]);
        pairs[1].set(i, values[static_cast<std::size_t>(i % count)]);
    }
    return pairs;
}

HostTensor evaluated(Op op, std::span<const HostTensor> inputs)
{
    const Node node{.kind = inputs.size() == 1 ? NodeKind::Unary : NodeKind::Binary,
                    .op = op,
                    .dtype = inputs[0].dtype(),
                    .shape = inputs[0].shape(),
                    .inputs = {},
                    .attributes = {},
                    .origin = Origin(SourceId(0U)),
                    .name = {}};
    return evaluateNode(node, inputs, {}).value();
}

void expectTheTable(Op op, std::span<const HostTensor> inputs)
{
    const HostTensor result = evaluated(op, inputs);
    std::vector<Scalar> operands(inputs.size());
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            operands[k] = inputs[k].at(i);
        const Scalar expected = evaluate(op, inputs[0].dtype(), operands);
        if (expected.isNan())
            EXPECT_TRUE(result.at(i).isNan()) << infoOf(op).name << " " << toText(operands[0]);
        else
            EXPECT_EQ(toText(result.at(i)), toText(expected)) << infoOf(op).name << " " << toText(operands[0]);
    }
}

HostTensor reduced(Op op, const HostTensor &input, Shape shape, std::size_t axis)
{
    const Node node{.kind = NodeKind::ReduceAxis,
                    .op = op,
                    .dtype = input.dtype(),
                    .shape = std::move(shape),
                    .inputs = {},
                    .attributes = AxesAttributes{{axis}},
                    .origin = Origin(SourceId(0U)),
                    .name = {}};
    return evaluateReduce(node, input, {}).value();
}

} // namespace

TEST(EvaluateTyped, isTheTableForEachOperationAndType)
{
    for (const DType dtype : kTypes) {
        const std::array pairs = pairsOf(specialValues(dtype));
        for (const Op op : kBinary)
            expectTheTable(op, pairs);
        if (isFloat(dtype))
            expectTheTable(Op::Fdiv, pairs);
        if (dtype != DType::Bool)
            expectTheTable(Op::Neg, std::span(pairs).first(1));
    }
}

TEST(EvaluateTyped, takesNoElements)
{
    for (const DType dtype : kTypes) {
        const std::array none{HostTensor(dtype, Shape{0}), HostTensor(dtype, Shape{0})};
        EXPECT_EQ(evaluated(Op::Add, none).elements(), 0);
        EXPECT_EQ(toText(reduced(Op::Add, none[0], Shape{1}, 0).at(0)), toText(Scalar::of(dtype, std::int64_t{0})));
    }
}

// Rows and columns of numbers whose sum depends on the order.
TEST(EvaluateTyped, reducesInTheOrderOfTheElements)
{
    for (const DType dtype : {DType::F32, DType::F64, DType::I32, DType::I64}) {
        constexpr std::int64_t kRows = 5;
        constexpr std::int64_t kColumns = 7;
        HostTensor input(dtype, Shape{kRows, kColumns});
        for (std::int64_t i = 0; i < input.elements(); ++i)
            input.set(i, Scalar::of(dtype, (i % 3 == 0 ? 1e8 : 1.1) * static_cast<double>(i % 2 == 0 ? i : -i)));
        for (const Op op : {Op::Add, Op::Max, Op::Mul}) {
            const HostTensor rows = reduced(op, input, Shape{kRows, 1}, 1);
            const HostTensor columns = reduced(op, input, Shape{1, kColumns}, 0);
            for (std::int64_t row = 0; row < kRows; ++row) {
                Scalar expected = identityOf(op, dtype);
                for (std::int64_t column = 0; column < kColumns; ++column)
                    expected = evaluate(op, dtype, std::array{expected, input.at(row * kColumns + column)});
                EXPECT_EQ(rows.at(row), expected) << nameOf(dtype) << " " << infoOf(op).name;
            }
            for (std::int64_t column = 0; column < kColumns; ++column) {
                Scalar expected = identityOf(op, dtype);
                for (std::int64_t row = 0; row < kRows; ++row)
                    expected = evaluate(op, dtype, std::array{expected, input.at(row * kColumns + column)});
                EXPECT_EQ(columns.at(column), expected) << nameOf(dtype) << " " << infoOf(op).name;
            }
        }
    }
}

} // namespace sw
