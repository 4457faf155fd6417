#include "engine/passes/lowered/decompose_rules.h"

#include <array>
#include <limits>

namespace sw {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2E = 1.4426950408889634;

// ln 2 as a sum of two numbers of the type.
constexpr std::array kLn2Single = {0.6931472, -1.9046542e-09};
constexpr std::array kLn2Double = {0.6931471805599453, 2.3190468138462996e-17};

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2
constexpr std::array kExpSingle = {0.49999994, 0.16666509, 0.041668, 0.008369966, 0.0013847087};
constexpr std::array kExpDouble = {0.5,
                                   0.16666666666666688,
                                   0.041666666666666824,
                                   0.008333333333313894,
                                   0.0013888888888777943,
                                   0.00019841269903361772,
                                   2.4801587558692318e-05,
                                   2.7557228700140805e-06,
                                   2.755706924608819e-07,
                                   2.511392355428807e-08,
                                   2.0976827059758205e-09};

// (2^r - 1) / r for |r| <= 1/2
constexpr std::array kExp2Single = {0.6931472, 0.24022612, 0.055503774, 0.0096227685, 0.0013384289, 0.00014191552};
constexpr std::array kExp2Double = {0.6931471805599453,     0.24022650695909997,   0.05550410866482377,
                                    0.009618129107672296,   0.0013333558145741291, 0.00015403530293717547,
                                    1.5252734673988722e-05, 1.321558282678012e-06, 1.0177622842927544e-07,
                                    7.014648566465134e-09,  4.535223275539509e-10, 8.666069007892886e-11};

// (tanh(r) - r) / r^3 in r^2, for r <= 0.625
constexpr std::array kTanhSingle = {-0.3333328, 0.13331406, -0.053736515, 0.020628167, -0.0056922967};
constexpr std::array kTanhDouble = {-0.33333333333332854,    0.13333333333261932,   -0.053968253931209687,  0.021869487575328618,
                                    -0.008863221001504228,   0.003591989245644357,  -0.0014549596993627227, 0.0005863208021028092,
                                    -0.00022857610795385484, 7.716164666091446e-05, -1.608282465802737e-05};
constexpr double kTanhSmall = 0.625;

// erf(r) / r - 1 in r^2, for r up to kErfSmall*
constexpr std::array kErfSingle = {0.12837917, -0.3761263, 0.11283626, -0.02685573, 0.0051923925, -0.0008049515, 7.9950485e-05};
constexpr std::array kErfDouble = {
    0.1283791670955126,     -0.3761263890318399,     0.112837916709628,      -0.026866170646128316,
    0.0052239776323158935,  -0.0008548327310220958,  0.00012055340794296719, -1.4925796022852667e-05,
    1.6464027086172072e-06, -1.6383800091685145e-07, 1.4928038004269948e-08, -1.2867619914688916e-09,
    1.132233563319999e-10,  -1.0763287008774143e-11, 9.305423336018267e-13,  -4.5738389593665967e-14};
constexpr double kErfSmallSingle = 0.921875;
constexpr double kErfSmallDouble = 1.5;
// -ln(1 - erf(a)) in a - kErfSmall*, up to where erf rounds to 1
constexpr std::array kErfcSingle = {1.6485618,    2.508015,     0.8329641,    0.04497053,
                                    -0.011251203, 0.0026578037, -0.000594579, 8.126981e-05};
constexpr std::array kErfcDouble = {
    3.3844920895515527,     3.5088008017795436,      0.8926403306141851,     0.025824140650543465,    -0.006006746550119833,
    0.0012572175776983906,  -0.0002159662614378697,  2.247993203218213e-05,  2.638428404651289e-06,   -2.3642623079415806e-06,
    8.175330004879315e-07,  -1.9634322085027947e-07, 3.322747296588693e-08,  -3.036157989743403e-09,  -2.3333626971559077e-10,
    1.4389008616828516e-10, -2.726068175041202e-11,  2.9518209060832324e-12, -1.8156666705026054e-13, 4.953462386068311e-15};

struct Reduced {
    Term shifted; // n + integerShift
    Term p;       // e^r
};

// x = n ln 2 + r, by Cody and Waite; the products with n are exact inside the fused multiply-add.
Reduced reducedExp(Term x)
{
    const double shift = formatOf(x).integerShift;
    const Term shifted = fma(x, kLog2E, shift);
    const Term n = shifted - shift;
    const auto ln2 = forTypeOf(x, kLn2Single, kLn2Double);
    const Term r = fma(n, -ln2[1], fma(n, -ln2[0], x));
    const Term q = polynomial(r, forTypeOf(x, kExpSingle, kExpDouble));
    return {shifted, fma(fma(q, r, 1.0), r, 1.0)};
}

Term powerOfTwo(Term exponentBits, const FloatFormat &format, DType dtype)
{
    return exponentBits.writer->bitcast(dtype, (exponentBits + format.bias) << format.mantissa);
}

// Below `low` the result is 0, above `high` infinity; NaN fails both comparisons and stays.
Term withExponentialLimits(Term x, Term result, double low, double high)
{
    return choose(isLess(high, x), kInfinity, choose(isLess(x, low), 0.0, result));
}

} // namespace

std::span<const double> forTypeOf(Term x, std::span<const double> single, std::span<const double> twice)
{
    return x.writer->at(x).dtype == DType::F32 ? single : twice;
}

double forTypeOf(Term x, double single, double twice)
{
    return x.writer->at(x).dtype == DType::F32 ? single : twice;
}

Term scaledByPower(Term p, Term shifted)
{
    // Multiplies by 2^n in two halves, the first product exact: results may be subnormal, and n may exceed one exponent. The
    // shift's own bits leave the word.
    const FloatFormat &format = formatOf(p);
    TermWriter &writer = *p.writer;
    const DType dtype = writer.at(p).dtype;
    const Term n = writer.bitcast(format.bits, shifted);
    const Term half = n >> std::uint32_t{1};
    return p * powerOfTwo(half, format, dtype) * powerOfTwo(n - half, format, dtype);
}

Term boundedExpOf(Term x)
{
    const Reduced reduced = reducedExp(x);
    const FloatFormat &format = formatOf(x);
    TermWriter &writer = *x.writer;
    return reduced.p * powerOfTwo(writer.bitcast(format.bits, reduced.shifted), format, writer.at(x).dtype);
}

Term expOf(Term x)
{
    const Reduced reduced = reducedExp(x);
    return withExponentialLimits(x, scaledByPower(reduced.p, reduced.shifted), forTypeOf(x, -104.0, -746.0),
                                 forTypeOf(x, 89.0, 710.0));
}

Term exp2Of(Term x)
{
    const double shift = formatOf(x).integerShift;
    const Term shifted = x + shift;
    const Term r = x - (shifted - shift);
    const Term p = fma(polynomial(r, forTypeOf(x, kExp2Single, kExp2Double)), r, 1.0);
    return withExponentialLimits(x, scaledByPower(p, shifted), forTypeOf(x, -151.0, -1076.0), forTypeOf(x, 129.0, 1025.0));
}

Term tanhOf(Term x)
{
    const Term magnitude = magnitudeOf(x);
    const double limit = forTypeOf(x, 10.0, 20.0); // tanh rounds to 1 beyond
    const Term bounded = choose(isLess(limit, magnitude), limit, magnitude);
    const Term large = 1.0 - 2.0 / (boundedExpOf(bounded + bounded) + 1.0);
    const Term square = magnitude * magnitude;
    const Term cubic = polynomial(square, forTypeOf(x, kTanhSingle, kTanhDouble)) * square;
    const Term small = fma(cubic, magnitude, magnitude);
    return withSignOf(choose(isLess(magnitude, kTanhSmall), small, large), x);
}

Term erfOf(Term x)
{
    const Term magnitude = magnitudeOf(x);
    const double limit = forTypeOf(x, 4.0, 6.0); // erf rounds to 1 beyond
    const double split = forTypeOf(x, kErfSmallSingle, kErfSmallDouble);
    const Term bounded = choose(isLess(limit, magnitude), limit, magnitude);
    const Term exponent = polynomial(bounded - split, forTypeOf(x, kErfcSingle, kErfcDouble));
    const Term large = 1.0 - boundedExpOf(0.0 - exponent);
    const Term square = magnitude * magnitude;
    const Term small = fma(polynomial(square, forTypeOf(x, kErfSingle, kErfDouble)), magnitude, magnitude);
    return withSignOf(choose(isLess(magnitude, split), small, large), x);
}

} // namespace sw
