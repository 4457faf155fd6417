#include "engine/graph/evaluate_node.h"
#include "engine/ops/op_eval.h"
#include "engine/types/elements.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Evaluates the most common operations on elements that are stored as a T, with the same functions that ops.def uses, without a
// table look-up and scalars for each element. Returns false for any other operation.
template <class T>
bool evaluateTyped(Op op, std::span<const HostTensor> inputs, HostTensor &out, std::int64_t begin, std::int64_t end)
{
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    const auto operand = [&](std::size_t k) { return elementsOf<T>(inputs[k]).subspan(first, count); };
    const auto unary = [&](auto function) {
        std::ranges::transform(operand(0), mutableElementsOf<T>(out).subspan(first).begin(), function);
        return true;
    };
    const auto binary = [&](auto function) {
        std::ranges::transform(operand(0), operand(1), mutableElementsOf<T>(out).subspan(first).begin(), function);
        return true;
    };
    if (op == Op::Add)
        return binary(eval::add<T>);
    if (op == Op::Sub)
        return binary(eval::subtract<T>);
    if (op == Op::Mul)
        return binary(eval::multiply<T>);
    if (op == Op::Div || op == Op::Fdiv)
        return binary(eval::divide<T>);
    if (op == Op::Max)
        return binary(eval::maximum<T>);
    if (op == Op::Min)
        return binary(eval::minimum<T>);
    if (op == Op::Neg)
        return unary(eval::negate<T>);
    return false;
}

// Where all operands and the result are of one type.
bool evaluateFast(const Node &node, std::span<const HostTensor> inputs, HostTensor &out, std::int64_t begin, std::int64_t end)
{
    if (std::ranges::any_of(inputs, [&](const HostTensor &input) { return input.dtype() != node.dtype; }))
        return false;
    if (node.dtype == DType::F32)
        return evaluateTyped<float>(node.op, inputs, out, begin, end);
    if (node.dtype == DType::F64)
        return evaluateTyped<double>(node.op, inputs, out, begin, end);
    if (node.dtype == DType::I32)
        return evaluateTyped<std::int32_t>(node.op, inputs, out, begin, end);
    if (node.dtype == DType::I64)
        return evaluateTyped<std::int64_t>(node.op, inputs, out, begin, end);
    return false;
}

void evaluateAny(const Node &node, std::span<const HostTensor> inputs, HostTensor &out, std::int64_t begin, std::int64_t end)
{
    const DType operandType = inputs[firstTypedOperand(node.op)].dtype();
    std::array<Scalar, 3> operands;
    for (std::int64_t i = begin; i < end; ++i) {
        for (std::size_t k = 0; k < inputs.size(); ++k)
            operands[k] = inputs[k].at(i);
        out.set(i, evaluate(node.op, operandType, std::span(operands).first(inputs.size())));
    }
}

} // namespace

Result<HostTensor> evaluateElementwise(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    HostTensor out(node.dtype, node.shape);
    const bool isDone = forPieces(out.elements(), context.stop, [&](std::int64_t begin, std::int64_t end) {
        if (!evaluateFast(node, inputs, out, begin, end))
            evaluateAny(node, inputs, out, begin, end);
    });
    if (!isDone)
        return cancelled();
    return out;
}

} // namespace sw
