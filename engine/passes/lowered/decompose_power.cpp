#include "engine/passes/lowered/decompose_rules.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace sw {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2E = 1.4426950408889634;
constexpr double kLog2ELow = 2.0355273740931033e-17;
constexpr double kTwoThirds = 0.6666666666666666;
constexpr double kTwoThirdsLow = 3.700743415417188e-17;

// (ln((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2
constexpr std::array kLogTail = {0.3999999999999998,  0.285714285714435,   0.22222222217919746, 0.18181818824923757,
                                 0.15384559830291128, 0.13336209234694446, 0.11676899251108644, 0.11972612048145378};

// An unevaluated sum of two f64.
struct Pair {
    Term high;
    Term low;
};

// |a| >= |b|
Pair sumOf(Term a, Term b)
{
    const Term sum = a + b;
    return {sum, b - (sum - a)};
}

Pair productOf(Term a, Term b)
{
    const Term product = a * b;
    return {product, fma(a, b, 0.0 - product)};
}

Pair productOf(const Pair &a, const Pair &b)
{
    const Pair product = productOf(a.high, b.high);
    return sumOf(product.high, fma(a.high, b.low, fma(a.low, b.high, product.low)));
}

// log2 of a positive finite f64 to about 2^-65.
Pair preciseLog2(Term x)
{
    const SplitFloat split = splitFloat(x);
    // s = f / (2 + f); 2 + f rounds, and what it loses is known.
    const Term divisor = split.f + 2.0;
    const Term lost = split.f - (divisor - 2.0);
    const Term s = split.f / divisor;
    const Term remainder = fma(0.0 - s, lost, fma(0.0 - s, divisor, split.f));
    const Pair quotient{s, remainder / divisor};
    const Pair square = productOf(quotient, quotient);
    const Term tail = square.high * polynomial(square.high, kLogTail);
    const Pair inner = sumOf(x.number(kTwoThirds), tail);
    const Pair cubic = productOf(productOf(square, {inner.high, inner.low + kTwoThirdsLow}), quotient);
    const Pair head = sumOf(s + s, cubic.high);
    const Pair natural = sumOf(head.high, head.low + (cubic.low + (quotient.low + quotient.low)));
    const Pair binary = productOf(natural, {x.number(kLog2E), x.number(kLog2ELow)});
    const Pair whole = sumOf(split.e, binary.high);
    // For e = 0 the sum is exact, whichever is larger.
    return sumOf(whole.high, whole.low + binary.low);
}

// |base|^exponent where both are f64 and base is positive and finite.
Term powerOfMagnitude(Term magnitude, Term exponent)
{
    const Pair logarithm = preciseLog2(magnitude);
    const Term product = exponent * logarithm.high;
    const Term error = fma(exponent, logarithm.high, 0.0 - product) + exponent * logarithm.low;
    // 2^(product + error): beyond the limits of exp2 the error is useless and may be NaN.
    const Term bounded = choose(isLess(1100.0, magnitudeOf(product)), 0.0, error);
    const Term power = exp2Of(product);
    return choose(isLess(magnitudeOf(power), kInfinity), fma(power * bounded, 0.6931471805599453, power), power);
}

// For f32 operands: f64 has enough bits to spare, and rounds once at the end.
Term powerOfSingle(Term magnitude, Term exponent)
{
    TermWriter &writer = *magnitude.writer;
    const Term wide = writer.cast(DType::F64, magnitude);
    const Term product = writer.cast(DType::F64, exponent) * log2Of(wide);
    return writer.cast(DType::F32, exp2Of(product));
}

// What C's pow gives for a base of 0 or infinity: 0 or infinity.
Term withMagnitudeLimits(Term magnitude, Term exponent, Term result)
{
    const Term isZero = isEqual(magnitude, 0.0);
    const Term grows = isLess(0.0, exponent) ^ isZero;
    const Term extreme = choose(grows, kInfinity, result.number(0.0));
    return choose(isZero | isEqual(magnitude, kInfinity), extreme, result);
}

// The exponent where it is one number in all lanes.
std::optional<double> knownExponent(Term exponent)
{
    const Instruction &made = exponent.writer->at(exponent);
    return made.kind == InstructionKind::Const ? std::optional(made.constants.front().asDouble()) : std::nullopt;
}

Term rootOf(Term x)
{
    return unary(Op::Sqrt, x);
}

struct RootPower {
    double exponent;
    Term (*of)(Term base);
};

// Powers by quarters are roots, which round to the nearest, as products and quotients do. A root halves what was lost before it,
// so the last places that are lost are at most 1/2 (the last rounding), 1 (the root before it) and 1/2 (the one before that). Of
// a negative base the root is NaN, as the power is.
constexpr std::array kRootPowers = {
    RootPower{0.25, [](Term x) { return rootOf(rootOf(x)); }},
    RootPower{0.5, rootOf},
    RootPower{0.75, [](Term x) { return x / rootOf(rootOf(x)); }},
    RootPower{1.25, [](Term x) { return x * rootOf(rootOf(x)); }},
    RootPower{1.5, [](Term x) { return x * rootOf(x); }},
    RootPower{-0.25, [](Term x) { return x.number(1.0) / rootOf(rootOf(x)); }},
    RootPower{-0.5, [](Term x) { return x.number(1.0) / rootOf(x); }},
    RootPower{-0.75, [](Term x) { return rootOf(rootOf(x)) / x; }},
};

} // namespace

Term powOf(Term base, Term exponent)
{
    TermWriter &writer = *base.writer;
    const std::optional<double> known = knownExponent(exponent);
    const auto *const root = std::ranges::find_if(kRootPowers, [&](const RootPower &row) { return known == row.exponent; });
    if (root != kRootPowers.end())
        return withMagnitudeLimits(magnitudeOf(base), exponent, root->of(base));
    const FloatFormat &format = formatOf(base);
    const Term magnitude = magnitudeOf(base);
    const bool isSingle = writer.at(base).dtype == DType::F32;
    Term result = isSingle ? powerOfSingle(magnitude, exponent) : powerOfMagnitude(magnitude, exponent);
    result = withMagnitudeLimits(magnitude, exponent, result);
    // |base| = 1 gives 1 even for an infinite exponent.
    result = choose(isEqual(magnitude, 1.0) & isEqual(exponent, exponent), 1.0, result);
    result = choose(isEqual(magnitude, magnitude) & isEqual(exponent, exponent), result, kNan);
    // A negative base keeps its sign for odd exponents, and has no power for fractions.
    const Term isWhole = isEqual(unary(Op::Floor, exponent), exponent);
    const Term half = exponent * 0.5;
    const Term isOdd = isWhole & isDifferent(unary(Op::Floor, half), half);
    const Term sign = choose(isOdd, writer.bitcast(format.bits, base) & format.sign, 0U);
    result = writer.bitcast(writer.at(base).dtype, writer.bitcast(format.bits, result) | sign);
    const Term hasNone = isLess(base, 0.0) & isLess(-kInfinity, base) & (isWhole ^ true);
    result = choose(hasNone, kNan, result);
    return choose(isEqual(exponent, 0.0) | isEqual(base, 1.0), 1.0, result);
}

// Repeated squaring, wrapping; a negative exponent is 1/x truncated.
Term integerPowOf(Term base, Term exponent)
{
    TermWriter &writer = *base.writer;
    const DType dtype = writer.at(base).dtype;
    const Term result = writer.variable(base.number(1));
    const Term square = writer.variable(base);
    const Term remaining = writer.variable(exponent);
    writer.beginRange(infoOf(dtype).bits);
    const Term isSet = isDifferent(remaining & 1, 0);
    writer.assign(result, choose(isSet, result * square, result));
    writer.assign(square, square * square);
    writer.assign(remaining, remaining >> 1);
    writer.endRange();
    if (!isSigned(dtype))
        return result;
    const Term one = base.number(1);
    const Term odd = choose(isDifferent(exponent & 1, 0), -1, one);
    const Term inverse = choose(isEqual(base, 1), one, choose(isEqual(base, -1), odd, 0));
    return choose(isLess(exponent, 0), inverse, result);
}

} // namespace sw
