#include "engine/passes/lowered/decompose_rules.h"

#include <array>

namespace sw {

namespace {

bool isComputedFloat(DType dtype)
{
    return dtype == DType::F32 || dtype == DType::F64;
}

bool isNumber(DType dtype)
{
    return isComputedFloat(dtype) || isInteger(dtype);
}

// What is rounded once is computed in f16 itself where the device can: see widen_storage_types.h.
bool isFloatOrHalf(DType dtype)
{
    return isComputedFloat(dtype) || dtype == DType::F16;
}

bool isNumberOrHalf(DType dtype)
{
    return isNumber(dtype) || dtype == DType::F16;
}

bool isAnything(DType dtype)
{
    return isNumber(dtype) || dtype == DType::Bool;
}

DType typeOf(Term term)
{
    return term.writer->at(term).dtype;
}

// Whether the truncated remainder and the divisor have different signs, so that floor and truncation differ.
Term isCrossing(Term remainder, Term divisor)
{
    return isDifferent(remainder, 0) & isDifferent(isLess(remainder, 0), isLess(divisor, 0));
}

Term writeFloorDiv(std::span<const Term> x)
{
    const DType dtype = typeOf(x[0]);
    if (isFloat(dtype))
        return unary(Op::Floor, x[0] / x[1]);
    const Term quotient = binary(Op::Idiv, x[0], x[1]);
    if (isUnsigned(dtype))
        return quotient;
    return choose(isCrossing(binary(Op::Mod, x[0], x[1]), x[1]), quotient - 1, quotient);
}

Term writeFloorMod(std::span<const Term> x)
{
    const DType dtype = typeOf(x[0]);
    const Term remainder = binary(Op::Mod, x[0], x[1]);
    if (isUnsigned(dtype))
        return remainder;
    const Term moved = choose(isCrossing(remainder, x[1]), remainder + x[1], remainder);
    if (isInteger(dtype))
        return moved;
    // A zero remainder takes the divisor's sign.
    return choose(isEqual(remainder, 0.0), choose(isLess(x[1], 0.0), x[1].number(-0.0), 0.0), moved);
}

// The unsigned operand may be an accumulator, whose value must be read here: the sum does that.
Term writeAbs(std::span<const Term> x)
{
    const DType dtype = typeOf(x[0]);
    if (isFloat(dtype))
        return magnitudeOf(x[0]);
    return isUnsigned(dtype) ? x[0] + 0 : choose(isLess(x[0], 0), 0 - x[0], x[0]);
}

Term writeSign(std::span<const Term> x)
{
    const DType dtype = typeOf(x[0]);
    if (isFloat(dtype)) {
        const Term one = withSignOf(x[0].number(1.0), x[0]);
        return choose(isLess(x[0], 0.0) | isLess(0.0, x[0]), one, x[0]); // NaN and zeros stay
    }
    const Term isPositive = isDifferent(x[0], 0);
    if (isUnsigned(dtype))
        return x[0].writer->cast(dtype, isPositive);
    return choose(isLess(x[0], 0), -1, x[0].writer->cast(dtype, isPositive));
}

Term writePow(std::span<const Term> x)
{
    return isFloat(typeOf(x[0])) ? powOf(x[0], x[1]) : integerPowOf(x[0], x[1]);
}

// The operand may be an accumulator, whose value must be read here: the sum does that and changes nothing.
template <std::size_t Index>
Term writeOperand(std::span<const Term> x)
{
    if (typeOf(x[Index]) == DType::Bool)
        return x[Index] | x[Index].number(0);
    return isFloat(typeOf(x[Index])) ? x[Index] + x[Index].number(-0.0) : x[Index] + 0;
}

Term writeRelu(std::span<const Term> x)
{
    return choose(isLessOrEqual(0, x[0]), x[0], 0);
}

Term writeSatur01(std::span<const Term> x)
{
    return choose(isLessOrEqual(x[0], 0), 0, choose(isLessOrEqual(1, x[0]), 1, x[0]));
}

Term writeReluGate(std::span<const Term> x)
{
    return choose(isLess(0, x[0]), x[1], 0);
}

Term writeSatur01Gate(std::span<const Term> x)
{
    return choose(isLess(0, x[0]) & isLess(x[0], 1), x[1], 0);
}

template <Term (*Function)(Term)>
Term writeUnary(std::span<const Term> x)
{
    return Function(x[0]);
}

constexpr std::array kRules = {
    DecompositionRule{Op::FloorDiv, "floor-div",
                      "The truncated quotient, less one where the remainder has the divisor's other sign.", &isNumber,
                      &writeFloorDiv},
    DecompositionRule{Op::FloorMod, "floor-mod", "The truncated remainder, moved by the divisor where their signs differ.",
                      &isNumber, &writeFloorMod},
    DecompositionRule{Op::Pow, "pow", "2^(y log2 x) with extra precision; repeated squaring for integers.", &isNumber, &writePow},
    DecompositionRule{Op::Not, "not", "Whether the operand equals zero.", &isAnything,
                      [](std::span<const Term> x) { return isEqual(x[0], 0); }},
    DecompositionRule{Op::Abs, "abs", "Clears the sign bit, or negates what is negative.", &isNumber, &writeAbs},
    DecompositionRule{Op::Sign, "sign", "One with the operand's sign.", &isNumber, &writeSign},
    DecompositionRule{Op::Recip, "recip", "One divided by the operand.", &isFloatOrHalf,
                      [](std::span<const Term> x) { return 1.0 / x[0]; }},
    DecompositionRule{Op::Exp, "exp", "2^n e^r with x = n ln 2 + r and a polynomial for e^r.", &isComputedFloat,
                      &writeUnary<expOf>},
    DecompositionRule{Op::Exp2, "exp2", "2^n 2^r with x = n + r and a polynomial for 2^r.", &isComputedFloat,
                      &writeUnary<exp2Of>},
    DecompositionRule{Op::Log, "log", "e ln 2 + ln(1 + f) with x = 2^e (1 + f) and a polynomial for the rest.", &isComputedFloat,
                      &writeUnary<logOf>},
    DecompositionRule{Op::Log2, "log2", "e + log2(1 + f) with x = 2^e (1 + f) and a polynomial for the rest.", &isComputedFloat,
                      &writeUnary<log2Of>},
    DecompositionRule{Op::Sin, "sin", "A polynomial after reducing by multiples of pi/2: in three parts, or with 2/pi's bits.",
                      &isComputedFloat, &writeUnary<sinOf>},
    DecompositionRule{Op::Cos, "cos", "The sine a quarter turn ahead.", &isComputedFloat, &writeUnary<cosOf>},
    DecompositionRule{Op::Tanh, "tanh",
                      "The formula for the tangent of a sum: 2^-n, and a polynomial for the tangent of the rest.",
                      &isComputedFloat, &writeUnary<tanhOf>},
    DecompositionRule{Op::Erf, "erf", "1 - e^-p(x), without a loss of digits near zero.", &isComputedFloat, &writeUnary<erfOf>},
    DecompositionRule{Op::TanhApprox, "tanh-approx", "As tanh.", &isComputedFloat, &writeUnary<tanhOf>},
    DecompositionRule{Op::RecipSqrt, "recip-sqrt", "One divided by the root.", &isComputedFloat,
                      [](std::span<const Term> x) { return 1.0 / unary(Op::Sqrt, x[0]); }},
    DecompositionRule{Op::Arg1, "arg1", "The first operand.", &isAnything, &writeOperand<0>},
    DecompositionRule{Op::Arg2, "arg2", "The second operand.", &isAnything, &writeOperand<1>},
    DecompositionRule{Op::Relu, "relu", "A choice between the operand and 0.", &isNumberOrHalf, &writeRelu},
    DecompositionRule{Op::Satur01, "satur01", "Choices between 0, the operand and 1.", &isNumber, &writeSatur01},
    DecompositionRule{Op::ReluGate, "relu-gate", "A choice between the second operand and 0.", &isNumberOrHalf, &writeReluGate},
    DecompositionRule{Op::Satur01Gate, "satur01-gate", "A choice between the second operand and 0.", &isNumber,
                      &writeSatur01Gate},
    DecompositionRule{Op::Mul3, "mul3", "Two products.", &isNumber, [](std::span<const Term> x) { return x[0] * x[1] * x[2]; }},
    DecompositionRule{Op::Mulacc, "mulacc", "The product, then the sum.", &isNumber,
                      [](std::span<const Term> x) { return x[0] * x[1] + x[2]; }},
};

} // namespace

std::span<const DecompositionRule> decompositionRules()
{
    return kRules;
}

} // namespace sw
