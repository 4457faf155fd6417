#include "engine/passes/graph/constants.h"
#include "engine/passes/graph/simplify.h"

#include <array>
#include <bit>
#include <cmath>

namespace sw {

namespace {

bool isOp(const Node &node, Op op)
{
    return node.op == op && (node.kind == NodeKind::Unary || node.kind == NodeKind::Binary || node.kind == NodeKind::Ternary);
}

bool isBinary(const Node &node)
{
    return node.kind == NodeKind::Binary;
}

std::optional<NodeId> keep(RewriteContext &context, std::size_t input)
{
    return context.inputId(input);
}

Replacement constant(RewriteContext &context, const Scalar &value)
{
    SW_TRY(const NodeId full, context.builder().full(context.origin(), value, context.node().shape));
    return std::optional(full);
}

bool isInteger(std::optional<Scalar> value, std::int64_t wanted)
{
    return value && *value == Scalar::of(value->dtype(), wanted);
}

Replacement dropNeutral(RewriteContext &context)
{
    const Node &node = context.node();
    if (!isBinary(node) || infoOf(node.op).result == OpResult::Bool)
        return noMatch();
    for (std::size_t i = 0; i < 2; ++i) {
        const auto neutral = neutralOf(node.op, i == 0 ? Side::Left : Side::Right, node.dtype);
        if (neutral && splatOf(context.builder(), context.inputId(i)) == neutral) {
            context.absorb(context.inputId(i));
            return keep(context, 1 - i);
        }
    }
    return noMatch();
}

// The value c with op(x, c) == c for every x. Only for integers and bool, because 0 * NaN is NaN.
std::optional<Scalar> absorbing(Op op, DType dtype)
{
    if (isFloat(dtype))
        return std::nullopt;
    if (op == Op::Mul || op == Op::And)
        return Scalar::of(dtype, std::int64_t{0});
    if (op == Op::Or)
        return identityOf(Op::And, dtype);
    if (op == Op::Max)
        return highestOf(dtype);
    if (op == Op::Min)
        return lowestOf(dtype);
    return std::nullopt;
}

Replacement takeAbsorbing(RewriteContext &context)
{
    const Node &node = context.node();
    if (!isBinary(node))
        return noMatch();
    const auto value = absorbing(node.op, node.dtype);
    for (std::size_t i = 0; value && i < 2; ++i) {
        if (splatOf(context.builder(), context.inputId(i)) == value) {
            context.absorb(context.inputId(i));
            return constant(context, *value);
        }
    }
    return noMatch();
}

// What op(x, x) is for every integer or bool x.
std::optional<Scalar> ofEqualIntegers(Op op, DType dtype)
{
    if (op == Op::Sub || op == Op::Xor)
        return Scalar::of(dtype, std::int64_t{0});
    if (op == Op::Cmplt || op == Op::Cmpne)
        return Scalar::ofBool(false);
    if (op == Op::Cmple || op == Op::Cmpeq)
        return Scalar::ofBool(true);
    return std::nullopt;
}

Replacement combineEqual(RewriteContext &context)
{
    const Node &node = context.node();
    if (!isBinary(node) || node.inputs[0] != node.inputs[1])
        return noMatch();
    if (has(infoOf(node.op).traits, Trait::Idempotent))
        return keep(context, 0);
    const DType dtype = context.input(0).dtype;
    const auto value = isFloat(dtype) ? std::nullopt : ofEqualIntegers(node.op, dtype);
    if (!value)
        return noMatch();
    return constant(context, *value);
}

Replacement undoTwice(RewriteContext &context)
{
    const Node &node = context.node();
    if (!(isOp(node, Op::Neg) || isOp(node, Op::Not)) || !isOp(context.input(0), node.op))
        return noMatch();
    const NodeId inner = context.input(0).inputs[0];
    if (context.builder().node(inner).dtype != node.dtype)
        return noMatch(); // not of a number is a bool
    context.absorb(context.inputId(0));
    return std::optional(inner);
}

Replacement doOnce(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::Unary || !has(infoOf(node.op).traits, Trait::Idempotent) || !isOp(context.input(0), node.op))
        return noMatch();
    return keep(context, 0);
}

Replacement chooseByConstant(RewriteContext &context)
{
    if (!isOp(context.node(), Op::Where))
        return noMatch();
    if (context.inputId(1) == context.inputId(2))
        return keep(context, 1);
    const auto condition = splatOf(context.builder(), context.inputId(0));
    if (!condition)
        return noMatch();
    context.absorb(context.inputId(0));
    return keep(context, condition->asBool() ? 1 : 2);
}

Replacement takeArgument(RewriteContext &context)
{
    if (isOp(context.node(), Op::Arg1))
        return keep(context, 0);
    return isOp(context.node(), Op::Arg2) ? keep(context, 1) : noMatch();
}

// x squared has one rounding either way; higher powers of floats would round more often than pow.
Replacement multiplyOutPower(RewriteContext &context)
{
    constexpr std::int64_t kMaxExponent = 8;
    const Node &node = context.node();
    if (!isOp(node, Op::Pow))
        return noMatch();
    const auto exponent = splatOf(context.builder(), context.inputId(1));
    if (isInteger(exponent, 0)) {
        context.absorb(context.inputId(1));
        return constant(context, Scalar::of(node.dtype, std::int64_t{1}));
    }
    const std::int64_t highest = isFloat(node.dtype) ? 2 : kMaxExponent;
    std::int64_t power = 2;
    while (power <= highest && !isInteger(exponent, power))
        ++power;
    if (power > highest)
        return noMatch();
    context.absorb(context.inputId(1));
    const NodeId base = context.inputId(0);
    NodeId result = base;
    // From the second highest bit of the exponent down: square, and multiply where the bit is set.
    for (int bit = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(power))) - 2; bit >= 0; --bit) {
        SW_TRY(result, context.builder().elementwise(context.origin(), Op::Mul, std::array{result, result}));
        if (((power >> bit) & 1) != 0) {
            SW_TRY(result, context.builder().elementwise(context.origin(), Op::Mul, std::array{result, base}));
        }
    }
    return std::optional(result);
}

// 1 / c is exact for a power of two, so both round the same real number.
Replacement multiplyByReciprocal(RewriteContext &context)
{
    const Node &node = context.node();
    if (!(isOp(node, Op::Fdiv) || isOp(node, Op::Div)) || !isFloat(node.dtype))
        return noMatch();
    const auto divisor = splatOf(context.builder(), context.inputId(1));
    if (!divisor || divisor->isNan() || divisor->asDouble() == 0 || std::isinf(divisor->asDouble()))
        return noMatch();
    int exponent = 0;
    const Scalar reciprocal = Scalar::of(node.dtype, 1 / divisor->asDouble());
    const bool isPowerOfTwo = std::abs(std::frexp(divisor->asDouble(), &exponent)) == 0.5;
    const bool isExact = std::isfinite(reciprocal.asDouble()) && reciprocal.asDouble() * divisor->asDouble() == 1;
    if (!isPowerOfTwo || !isExact || divisor->asDouble() == 1)
        return noMatch();
    context.absorb(context.inputId(1));
    SW_TRY(const NodeId factor, context.builder().full(context.origin(), reciprocal, node.shape));
    SW_TRY(const NodeId product,
           context.builder().elementwise(context.origin(), Op::Mul, std::array{context.inputId(0), factor}));
    return std::optional(product);
}

constexpr std::array kRules = {
    GraphRule{"drop-neutral", "Drop a neutral operand",
              "x + 0, x * 1, x - 0, x / 1, max(x, lowest) and their like are x; of floats x + 0 only for the zero -0.",
              dropNeutral},
    GraphRule{"take-absorbing", "Take an absorbing operand",
              "x * 0, x & 0, x | all ones are that operand, for integers and bool.", takeAbsorbing},
    GraphRule{"combine-equal", "Combine equal operands",
              "max(x, x) is x; for integers and bool x - x and x ^ x are 0 and comparisons of x with itself are known.",
              combineEqual},
    GraphRule{"undo-twice", "Drop a double negation", "neg(neg(x)) is x, and not(not(x)) of a bool.", undoTwice},
    GraphRule{"do-once", "Do idempotent operations once", "abs(abs(x)) is abs(x); the same for sign and the roundings.", doOnce},
    GraphRule{"choose-by-constant", "Choose by a constant", "where(true, x, y) is x; where(c, x, x) is x.", chooseByConstant},
    GraphRule{"take-argument", "Take the argument", "arg1(x, y) is x; arg2(x, y) is y.", takeArgument},
    GraphRule{"multiply-out-power", "Multiply out small powers",
              "x ** 2 is x * x; for integers every exponent up to 8; x ** 0 is 1.", multiplyOutPower},
    GraphRule{"multiply-by-reciprocal", "Multiply instead of dividing", "x / c is x * (1 / c) where c is a power of two.",
              multiplyByReciprocal},
};

} // namespace

std::span<const GraphRule> arithmeticRules()
{
    return kRules;
}

} // namespace sw
