#include "engine/passes/lowered/decompose_rules.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace sw {

namespace {

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

// (1 - e^-r - r) / r^2: the same with every other sign changed
template <std::size_t N>
constexpr std::array<double, N> ofMinus(std::array<double, N> coefficients)
{
    for (std::size_t i = 0; i < N; i += 2)
        coefficients[i] = -coefficients[i];
    return coefficients;
}
constexpr std::array kOneMinusExpSingle = ofMinus(kExpSingle);
constexpr std::array kOneMinusExpDouble = ofMinus(kExpDouble);

// (2^r - 1) / r for |r| <= 1/2
constexpr std::array kExp2Single = {0.6931472, 0.24022612, 0.055503774, 0.0096227685, 0.0013384289, 0.00014191552};
constexpr std::array kExp2Double = {0.6931471805599453,     0.24022650695909997,   0.05550410866482377,
                                    0.009618129107672296,   0.0013333558145741291, 0.00015403530293717547,
                                    1.5252734673988722e-05, 1.321558282678012e-06, 1.0177622842927544e-07,
                                    7.014648566465134e-09,  4.535223275539509e-10, 8.666069007892886e-11};

// (tanh(r) - r) / r^3 in r^2, for r <= ln(2)/4 + kTanhLater
constexpr std::array kTanhSingle = {-0.3333320646749056, 0.13322178154288675, -0.05116096382369087};
constexpr std::array kTanhDouble = {-0.3333333333333224,   0.13333333332930664,   -0.05396825346600441,  0.02186945879474272,
                                    -0.008862291462748185, 0.0035755850028010897, -0.0013039179494481223};
constexpr double kTanhLater = 0.09;

// -ln(1 - erf(a)) / a - 1 in a, up to where erf rounds to 1
constexpr std::array kErfSingle = {0.12837917,   0.63661957,     0.1027763,     -0.019147824, -0.00016949403,
                                   0.0016756569, -0.00063734653, 0.00011885457, -9.386955e-06};
constexpr std::array kErfDouble = {
    0.12837916709551256,    0.6366197723675898,      0.1027726033013577,      -0.0191284469938227,    -0.0002091948467355736,
    0.0016962076243141235,  -0.0005901322310472921,  2.5903869663880768e-05,  6.442196379204598e-05,  -2.9578366335365973e-05,
    3.173451893199917e-06,  3.1288299515427926e-06,  -2.033648176053425e-06,  5.682526739975189e-07,  -1.045593665306727e-08,
    -6.624606384122925e-08, 3.4745978778144133e-08,  -1.0811421661874449e-08, 2.3670151263570267e-09, -3.7681161916788427e-10,
    4.306265808823917e-11,  -3.3639964687105857e-12, 1.6124141640925384e-13,  -3.580535180003653e-15};

// Of an exponent, in the place of a float's bits where 2^n has it.
enum class Biases : std::uint8_t { One = 1, Two = 2 };

// Adding it rounds a small value to an integer n, and the low bits are then n and so many biases of the exponent.
double shiftWith(Biases biases, const FloatFormat &format)
{
    return format.integerShift + static_cast<double>(format.bias * static_cast<std::uint64_t>(biases));
}

struct Reduced {
    Term shifted; // n + the shift
    Term r;
};

// x = n ln 2 + r, by Cody and Waite; the products with n are exact inside the fused multiply-add.
Reduced reducedExp(Term x, Biases biases)
{
    const double shift = shiftWith(biases, formatOf(x));
    const Term shifted = fma(x, kLog2E, shift);
    const Term n = shifted - shift;
    const auto ln2 = forTypeOf(x, kLn2Single, kLn2Double);
    return {shifted, fma(n, -ln2[1], fma(n, -ln2[0], x))};
}

// e^r
Term seriesOf(const Reduced &reduced)
{
    const Term r = reduced.r;
    const Term q = polynomial(r, forTypeOf(r, kExpSingle, kExpDouble));
    return fma(fma(q, r, 1.0), r, 1.0);
}

// 2^n for a value that was shifted with one bias: the exponent is in the low bits, and the shift's own bits leave the word.
Term powerOfTwo(Term shifted)
{
    const FloatFormat &format = formatOf(shifted);
    TermWriter &writer = *shifted.writer;
    const DType dtype = writer.at(shifted).dtype;
    return writer.bitcast(dtype, writer.bitcast(format.bits, shifted) << format.mantissa);
}

// p * 2^n for a value that was shifted with two biases: in two halves, the first product exact. Results may be subnormal, and n
// may exceed one exponent.
Term scaledByPower(Term p, Term shifted)
{
    const FloatFormat &format = formatOf(p);
    TermWriter &writer = *p.writer;
    const DType dtype = writer.at(p).dtype;
    const Term exponents = writer.bitcast(format.bits, shifted);
    const Term half = exponents >> std::uint32_t{1};
    const auto power = [&](Term exponent) { return writer.bitcast(dtype, exponent << format.mantissa); };
    return p * power(half) * power(exponents - half);
}

// The power whose exponent, with two biases, is 0: its halves are 0 then, and so is what is multiplied by them. Below it, and for
// minus infinity, nothing underflows, which takes Intel's processors 150 cycles, though results are 0 from -104 (f32) on. A mask
// of an attention hides half of all scores with minus infinity.
double leastPower(Term x)
{
    return forTypeOf(x, -254.0, -2046.0);
}

// Beyond the limits the result is that of the limit, which is 0 or infinity; NaN fails both comparisons and stays.
Term withinLimits(Term x, double low, double high)
{
    const Term notAbove = choose(isLess(high, x), high, x);
    return choose(isLess(notAbove, low), low, notAbove);
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

Term boundedExpOf(Term x)
{
    const Reduced reduced = reducedExp(x, Biases::One);
    return seriesOf(reduced) * powerOfTwo(reduced.shifted);
}

Term expOf(Term x)
{
    const Term bounded = withinLimits(x, std::ceil(leastPower(x) / kLog2E), forTypeOf(x, 89.0, 710.0));
    const Reduced reduced = reducedExp(bounded, Biases::Two);
    return scaledByPower(seriesOf(reduced), reduced.shifted);
}

Term exp2Of(Term x)
{
    const Term bounded = withinLimits(x, leastPower(x), forTypeOf(x, 129.0, 1025.0));
    const double shift = shiftWith(Biases::Two, formatOf(x));
    const Term shifted = bounded + shift;
    const Term r = bounded - (shifted - shift);
    const Term p = fma(polynomial(r, forTypeOf(x, kExp2Single, kExp2Double)), r, 1.0);
    return scaledByPower(p, shifted);
}

// With a = n ln(2)/2 + r, q = 2^-n and h = 1 - q, the sum of two tangents' formula gives tanh(a) = h + q ((2 + h) t - h) / (1 + q
// + h t), where t = tanh(r). h is exact, and the second term is at most as large as the result where n is not 0; there h is 0,
// and the result t. The steps between two n come later than halfway, so that the result is not small beside h at the first one.
Term tanhOf(Term x)
{
    const Term magnitude = magnitudeOf(x);
    const double limit = forTypeOf(x, 10.0, 20.0); // tanh rounds to 1 beyond
    const Term a = choose(isLess(limit, magnitude), limit, magnitude);
    const double shift = shiftWith(Biases::One, formatOf(x));
    const Term shifted = fma(a - kTanhLater, -2 * kLog2E, shift); // -n
    const Term r = fma(shifted - shift, forTypeOf(x, kLn2Single, kLn2Double)[0] / 2, a);
    const Term square = r * r;
    const Term t = fma(polynomial(square, forTypeOf(x, kTanhSingle, kTanhDouble)) * square, r, r);
    const Term q = powerOfTwo(shifted);
    const Term h = 1.0 - q;
    const Term quotient = fma(h + 2.0, t, -h) / fma(h, t, q + 1.0);
    return withSignOf(fma(q, quotient, h), x);
}

// 1 - e^-g, where g = a (1 + H(a)). With g = n ln 2 + r it is 2^-n (1 - e^-r) + (1 - 2^-n): near zero n is 0 and the sum exact,
// so that no digit is lost. Elsewhere the low part of ln 2 would change less than a quarter of the last place.
Term erfOf(Term x)
{
    const Term magnitude = magnitudeOf(x);
    const double limit = forTypeOf(x, 3.95, 6.0); // erf rounds to 1 beyond
    const Term bounded = choose(isLess(limit, magnitude), limit, magnitude);
    const Term g = fma(polynomial(bounded, forTypeOf(x, kErfSingle, kErfDouble)), bounded, bounded);
    const double shift = shiftWith(Biases::One, formatOf(x));
    const Term shifted = fma(g, -kLog2E, shift);
    const Term r = fma(shifted - shift, forTypeOf(x, kLn2Single, kLn2Double)[0], g);
    const Term q = polynomial(r, forTypeOf(x, kOneMinusExpSingle, kOneMinusExpDouble));
    const Term series = fma(q * r, r, r);
    const Term power = powerOfTwo(shifted);
    return withSignOf(fma(power, series, 1.0 - power), x);
}

} // namespace sw
