#include "engine/passes/lowered/decompose_rules.h"

#include <array>
#include <limits>

namespace sw {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kLn2Single = {0.6931472, -1.9046542e-09};
constexpr std::array kLn2Double = {0.6931471805599453, 2.3190468138462996e-17};
constexpr std::array kLog2ESingle = {1.442695, 1.925963e-08};
constexpr std::array kLog2EDouble = {1.4426950408889634, 2.0355273740931033e-17};

// (ln(1 + f) - f + f^2/2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)
constexpr std::array kLogSingle = {0.3333333,  -0.2500081,  0.20001248, -0.16623433,
                                   0.14197254, -0.13153382, 0.12812877, -0.077359505};
// (ln((1 + s) / (1 - s)) - 2 s) / s^3 in s^2
constexpr std::array kLogDouble = {0.6666666666666735, 0.39999999999409347, 0.2857142874368926, 0.2222219842852054,
                                   0.1818357238797732, 0.15313831082522755, 0.1479827194052667};

// ln(1 + f) = f - correction, where the correction is small beside f.
Term correctionSingle(Term f, Term addend)
{
    const Term square = f * f;
    const Term cubic = fma(square * f, polynomial(f, kLogSingle), addend);
    return fma(square, -0.5, cubic);
}

// With s = f / (2 + f): ln(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))).
struct DoubleLog {
    Term half; // f^2/2
    Term rest; // s (f^2/2 + s^2 P(s^2))
};

DoubleLog logDouble(Term f)
{
    const Term half = f * f * 0.5;
    const Term s = f / (f + 2.0);
    const Term square = s * s;
    return {half, s * fma(polynomial(square, kLogDouble), square, half)};
}

bool isSingle(Term x)
{
    return x.writer->at(x).dtype == DType::F32;
}

} // namespace

SplitFloat splitFloat(Term x)
{
    const FloatFormat &format = formatOf(x);
    TermWriter &writer = *x.writer;
    const DType dtype = writer.at(x).dtype;
    const auto scaleBits = static_cast<double>(format.mantissa + 1);
    const Term isSmall = isLess(x, format.smallestNormal);
    const Term normal = choose(isSmall, x * static_cast<double>(std::uint64_t{1} << (format.mantissa + 1)), x);
    // Adding one - sqrt(1/2) to the bits moves the step of the exponent to sqrt(1/2).
    const std::uint64_t root = dtype == DType::F32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
    const Term moved = writer.bitcast(format.bits, normal) + (format.one - root);
    const Term exponent = writer.cast(dtype, writer.bitcast(format.signedBits, moved >> format.mantissa));
    const auto bias = static_cast<double>(format.bias);
    const Term offset = choose(isSmall, x.number(bias + scaleBits), bias);
    const Term fraction = moved & ((std::uint64_t{1} << format.mantissa) - 1);
    return {writer.bitcast(dtype, fraction + root) - 1.0, exponent - offset};
}

Term withLogarithmLimits(Term x, Term result)
{
    const Term below = choose(isEqual(x, 0.0), x.number(-kInfinity), kNan);
    return choose(isLess(0.0, x), choose(isLess(x, kInfinity), result, x), below);
}

Term logOf(Term x)
{
    const SplitFloat split = splitFloat(x);
    const auto ln2 = forTypeOf(x, kLn2Single, kLn2Double);
    if (isSingle(x)) {
        const Term small = split.f + correctionSingle(split.f, split.e * ln2[1]);
        return withLogarithmLimits(x, fma(split.e, ln2[0], small));
    }
    const DoubleLog parts = logDouble(split.f);
    const Term small = split.f - (parts.half - fma(split.e, ln2[1], parts.rest));
    return withLogarithmLimits(x, fma(split.e, ln2[0], small));
}

Term log2Of(Term x)
{
    const SplitFloat split = splitFloat(x);
    const auto log2E = forTypeOf(x, kLog2ESingle, kLog2EDouble);
    if (isSingle(x)) {
        const Term natural = split.f + correctionSingle(split.f, x.number(0.0));
        return withLogarithmLimits(x, split.e + fma(natural, log2E[0], natural * log2E[1]));
    }
    const DoubleLog parts = logDouble(split.f);
    const Term high = split.f - parts.half;
    const Term low = (split.f - high - parts.half) + parts.rest;
    const Term product = high * log2E[0];
    const Term error = fma(high, x.number(log2E[0]), 0.0 - product);
    const Term rest = fma(high, log2E[1], fma(low, log2E[0], error));
    const Term sum = split.e + product;
    return withLogarithmLimits(x, sum + (rest + ((split.e - sum) + product)));
}

} // namespace sw
