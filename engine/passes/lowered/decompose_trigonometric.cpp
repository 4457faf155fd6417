#include "engine/passes/lowered/decompose_rules.h"

#include <array>

namespace sw {

namespace {

constexpr double kTwoOverPi = 0.6366197723675814;

// pi/2 as a sum of numbers of the type.
constexpr std::array kHalfPiSingle = {1.5707964, -4.371139e-08, -1.7151245e-15};
constexpr std::array kHalfPiDouble = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33};

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 in r^2, a little beyond pi/4
constexpr std::array kSinSingle = {-0.16666654, 0.008332095, -0.0001950554};
constexpr std::array kCosSingle = {0.04166664, -0.001388713, 2.4412086e-05};
constexpr std::array kSinDouble = {-0.1666666666666663,    0.00833333333332184,     -0.0001984126982935853,
                                   2.7557313538508487e-06, -2.5050734386718184e-08, 1.5895433035860423e-10};
constexpr std::array kCosDouble = {0.04166666666666659,    -0.0013888888888872186, 2.4801587288295383e-05,
                                   -2.755731401511742e-07, 2.087567808356554e-09,  -1.1357336621963488e-11};

// Up to here the three-part reduction is as good as the polynomials.
constexpr double kModerateSingle = 131072.0;
constexpr double kModerateDouble = 1048576.0;

ReducedAngle reduceModerateAngle(Term x)
{
    const FloatFormat &format = formatOf(x);
    const Term shifted = fma(x, kTwoOverPi, format.integerShift);
    const Term n = shifted - format.integerShift;
    Term r = x;
    for (const double part : forTypeOf(x, kHalfPiSingle, kHalfPiDouble))
        r = fma(n, -part, r);
    return {x.writer->bitcast(format.bits, shifted), r};
}

// Reduces a magnitude; the caller handles the sign. If some lane is large, both ways are computed: such arguments are rare, and
// the second way is long.
ReducedAngle reduceAngle(Term x)
{
    TermWriter &writer = *x.writer;
    const ReducedAngle moderate = reduceModerateAngle(x);
    const Term quadrant = writer.variable(moderate.quadrant);
    const Term r = writer.variable(moderate.r);
    // Neither infinities nor NaN are less than the limit: reduceLargeAngle makes them NaN.
    const Term isModerate = isLess(x, forTypeOf(x, kModerateSingle, kModerateDouble));
    const Term isLarge = isModerate ^ true;
    writer.beginIfAnyLane(isLarge);
    const ReducedAngle large = reduceLargeAngle(x);
    writer.assign(quadrant, choose(isLarge, large.quadrant, quadrant));
    writer.assign(r, choose(isLarge, large.r, r));
    writer.endIf();
    return {quadrant, r};
}

// sin(r + quadrant pi/2)
Term sineInQuadrant(const ReducedAngle &angle)
{
    const Term r = angle.r;
    TermWriter &writer = *r.writer;
    const FloatFormat &format = formatOf(r);
    const DType dtype = writer.at(r).dtype;
    const Term square = r * r;
    const Term sine = fma(polynomial(square, forTypeOf(r, kSinSingle, kSinDouble)) * square, r, r);
    const Term fourth = polynomial(square, forTypeOf(r, kCosSingle, kCosDouble)) * square;
    // 1 - r^2/2 loses little: the rounding error is added back with the fourth power.
    const Term half = square * 0.5;
    const Term whole = 1.0 - half;
    const Term lost = (1.0 - whole) - half;
    const Term cosine = whole + fma(fourth, square, lost);
    const Term isOdd = isDifferent(angle.quadrant & 1U, 0U);
    const Term value = writer.bitcast(format.bits, choose(isOdd, cosine, sine));
    const Term sign = (angle.quadrant & 2U) << (format.mantissa == 23 ? 30U : 62U);
    return writer.bitcast(dtype, value ^ sign);
}

} // namespace

Term sinOf(Term x)
{
    const FloatFormat &format = formatOf(x);
    TermWriter &writer = *x.writer;
    const Term sine = sineInQuadrant(reduceAngle(magnitudeOf(x)));
    const Term sign = writer.bitcast(format.bits, x) & format.sign;
    return writer.bitcast(writer.at(x).dtype, writer.bitcast(format.bits, sine) ^ sign);
}

Term cosOf(Term x)
{
    const ReducedAngle angle = reduceAngle(magnitudeOf(x));
    return sineInQuadrant({angle.quadrant + 1U, angle.r});
}

} // namespace sw
