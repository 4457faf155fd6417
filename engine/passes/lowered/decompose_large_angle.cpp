#include "engine/passes/lowered/decompose_rules.h"

#include <array>

namespace sw {

namespace {

// pi/2 as a sum of two numbers of the type.
constexpr std::array kHalfPiSingle = {1.5707964, -4.371139e-08};
constexpr std::array kHalfPiDouble = {1.5707963267948966, 6.123233995736766e-17};

// The bits of 2/pi behind the point, 32 per word (Payne and Hanek, "Radian reduction for trigonometric functions", 1983).
constexpr std::array<std::uint32_t, 40> kTwoOverPi = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

// `count` words of 2/pi, starting at an index that differs per lane and is below 2^bits. The lanes go through a barrel of
// selections, one stage per bit of the index.
std::vector<Term> wordsFrom(Term index, std::size_t bits, std::size_t leadingZeros, std::size_t count)
{
    const auto wordAt = [&](std::size_t i) -> std::uint32_t {
        const bool isInside = i >= leadingZeros && i - leadingZeros < kTwoOverPi.size();
        return isInside ? kTwoOverPi[i - leadingZeros] : 0;
    };
    std::vector<Term> words;
    for (std::size_t bit = bits; bit-- > 0;) {
        const std::size_t distance = std::size_t{1} << bit;
        const std::size_t needed = count + distance - 1;
        const Term isSet = isDifferent(index & (1U << bit), 0U);
        std::vector<Term> next;
        for (std::size_t i = 0; i < needed; ++i) {
            if (words.empty() || bit + 1 == bits)
                next.push_back(choose(isSet, index.number(wordAt(i + distance)), index.number(wordAt(i))));
            else
                next.push_back(choose(isSet, words[i + distance], words[i]));
        }
        words = std::move(next);
    }
    return words;
}

// The 32 bits that start `shift` bits (below 32) after the start of the first word.
Term bitsAcross(Term first, Term second, Term shift)
{
    TermWriter &writer = *first.writer;
    const Term both = (writer.cast(DType::U64, first) << 32U) | writer.cast(DType::U64, second);
    return (both << writer.cast(DType::U64, shift)) >> 32U;
}

// x / (pi/2) = x 2/pi modulo 4, as a window of 2/pi that starts where the product's bits fall below 4, times x's mantissa.
struct Window {
    Term mantissa;           // with its hidden one; u64
    std::vector<Term> words; // u64, 32 bits each
};

Window windowOf(Term x, std::size_t indexBits, std::size_t leadingZeros, std::size_t count)
{
    const FloatFormat &format = formatOf(x);
    TermWriter &writer = *x.writer;
    const Term bits = writer.bitcast(format.bits, x);
    const Term fraction = bits & ((std::uint64_t{1} << format.mantissa) - 1);
    const Term exponent = writer.cast(DType::U32, bits >> format.mantissa);
    // The bit of 2/pi whose product with the mantissa's lowest bit has the weight 2, counted from the leading zeros.
    const std::uint64_t offset = format.bias + format.mantissa + 2 - 32 * leadingZeros;
    const Term position = exponent - offset;
    const std::vector<Term> words = wordsFrom(position >> 5U, indexBits, leadingZeros, count + 1);
    Window out{writer.cast(DType::U64, fraction | (std::uint64_t{1} << format.mantissa)), {}};
    for (std::size_t i = 0; i < count; ++i)
        out.words.push_back(bitsAcross(words[i], words[i + 1], position & 31U));
    return out;
}

// The product's top 64 bits (2 for the quadrant, 62 behind the point), split into the quadrant and a signed rest of at most 1/2.
struct Turn {
    Term quadrant; // u64
    Term rest;     // u64, two's complement
};

Turn turnOf(Term product)
{
    const Term quadrant = (product + (std::uint64_t{1} << 61U)) >> 62U;
    return {quadrant, product - (quadrant << 62U)};
}

// NaN for infinities and NaN, else the angle.
Term finiteOrNan(Term x, Term angle)
{
    return angle + (x - x);
}

// The angle of `turns`, an i64 in units of pi/2 / 2^62, plus `below`, the part under one unit; rounds once, at the end.
Term angleOf(Term turns, DType dtype, Term below)
{
    TermWriter &writer = *turns.writer;
    const Term high = writer.cast(dtype, turns);
    const Term low = writer.cast(dtype, turns - writer.cast(DType::I64, high)) + below;
    const auto halfPi = forTypeOf(high, kHalfPiSingle, kHalfPiDouble);
    return fma(high, halfPi[0], fma(high, halfPi[1], low * halfPi[0])) * 0x1p-62;
}

ReducedAngle reduceSingle(Term x)
{
    TermWriter &writer = *x.writer;
    const Window window = windowOf(x, 3, 1, 3);
    const Term high = (window.mantissa * window.words[0]) << 32U;
    const Term product = high + window.mantissa * window.words[1] + ((window.mantissa * window.words[2]) >> 32U);
    const Turn turn = turnOf(product);
    const Term angle = angleOf(writer.bitcast(DType::I64, turn.rest), DType::F32, x.number(0.0));
    return {writer.cast(DType::U32, turn.quadrant), finiteOrNan(x, angle)};
}

// The product of a 53-bit mantissa and a window of 192 bits, modulo 2^192, in limbs of 32 bits from the lowest.
std::vector<Term> productLimbs(const Window &window)
{
    const Term low = window.mantissa & 0xffffffffU;
    const Term high = window.mantissa >> 32U;
    std::vector<Term> limbs;
    Term carry = low.number(0U);
    for (std::size_t i = 0; i < window.words.size(); ++i) {
        const std::size_t at = window.words.size() - 1 - i;
        const Term first = low * window.words[at] + carry;
        const Term second = i == 0 ? first & 0xffffffffU : high * window.words[at + 1] + (first & 0xffffffffU);
        limbs.push_back(second & 0xffffffffU);
        carry = i == 0 ? first >> 32U : (first >> 32U) + (second >> 32U);
    }
    return limbs;
}

ReducedAngle reduceDouble(Term x)
{
    TermWriter &writer = *x.writer;
    const std::vector<Term> limbs = productLimbs(windowOf(x, 6, 2, 6));
    const Turn turn = turnOf((limbs[5] << 32U) | limbs[4]);
    // The rest's magnitude, up to one unit of its 126 bits; then both halves convert without cancellation.
    const Term negative = writer.bitcast(DType::U64, writer.bitcast(DType::I64, turn.rest) >> 63);
    const Term high = writer.bitcast(DType::I64, turn.rest ^ negative);
    const Term lowBits = ((limbs[3] << 32U) | limbs[2]) ^ negative;
    const Term low = writer.cast(DType::F64, writer.bitcast(DType::I64, lowBits >> 1U));
    const Term angle = angleOf(high, DType::F64, low * 0x1p-63);
    const Term sign = negative & (std::uint64_t{1} << 63U);
    const Term signedAngle = writer.bitcast(DType::F64, writer.bitcast(DType::U64, angle) | sign);
    return {turn.quadrant, finiteOrNan(x, signedAngle)};
}

} // namespace

ReducedAngle reduceLargeAngle(Term x)
{
    return x.writer->at(x).dtype == DType::F32 ? reduceSingle(x) : reduceDouble(x);
}

} // namespace sw
