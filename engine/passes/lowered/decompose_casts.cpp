// Conversions from and to 8-bit floats. No target language has them, so they are integer arithmetic on the bits. See
// float_formats.cpp for the same on the host.

#include "engine/passes/lowered/decompose_rules.h"

#include <array>

namespace sw {

namespace {

constexpr std::uint32_t kSingleMantissa = 23;
constexpr std::uint32_t kSingleInfinity = 0x7f800000;

// The format of an 8-bit float, compared with an f32.
struct NarrowFormat {
    std::uint32_t mantissa; // bits behind the point
    std::uint32_t biasDifference;
    std::uint32_t smallestNormal; // as the bits of an f32
    double subnormalsPerOne;      // how often the smallest subnormal number goes into 1
    std::uint32_t overflowsFrom;  // the f32 bits from which the result is `overflow`
    std::uint32_t overflow;
    std::uint32_t nan;
};

constexpr NarrowFormat kF8e5m2{2, 112, 0x38800000, 0x1p16, 0x47700000, 0x7c, 0x7e};
constexpr NarrowFormat kF8e4m3{3, 120, 0x3c800000, 0x1p9, 0x43e80001, 0x7f, 0x7f};

const NarrowFormat &formatOf(DType dtype)
{
    return dtype == DType::F8E5M2 ? kF8e5m2 : kF8e4m3;
}

Term castTo(DType dtype, Term x)
{
    return x.writer->cast(dtype, x);
}

Term bitcastTo(DType dtype, Term x)
{
    return x.writer->bitcast(dtype, x);
}

// Rounds an f64 to f32 towards zero and sets the last bit if anything was lost: a second rounding then gives what one would give.
Term roundedToOdd(Term x)
{
    const Term nearest = castTo(DType::F32, x);
    const Term back = castTo(DType::F64, nearest);
    const Term bits = bitcastTo(DType::U32, nearest);
    const Term isExact = isEqual(back, x) | isDifferent(x, x) | isEqual(bits & 0x7fffffffU, kSingleInfinity);
    const Term isBeyond = isLess(magnitudeOf(x), magnitudeOf(back));
    const Term towardsZero = choose(isBeyond, bits - 1U, bits);
    // A value that overflowed f32 is far beyond the narrow formats, like infinity.
    return bitcastTo(DType::F32, choose(isExact, bits, towardsZero | 1U));
}

// The integer as f32: exact, or so large that every narrow float overflows.
Term integerAsSingle(Term x)
{
    const DType dtype = x.writer->at(x).dtype;
    constexpr std::int64_t kBeyond = 1 << 20;
    if (bytesOf(dtype) <= 2)
        return castTo(DType::F32, x);
    Term limited = binary(Op::Min, x, kBeyond);
    if (isSigned(dtype))
        limited = binary(Op::Max, limited, -kBeyond);
    return castTo(DType::F32, limited);
}

Term asSingle(Term x)
{
    const DType dtype = x.writer->at(x).dtype;
    if (dtype == DType::F64)
        return roundedToOdd(x);
    return isInteger(dtype) ? integerAsSingle(x) : castTo(DType::F32, x);
}

Term narrow(Term x, DType to)
{
    const NarrowFormat &format = formatOf(to);
    const Term single = asSingle(x);
    const Term bits = bitcastTo(DType::U32, single);
    const Term sign = (bits >> 24U) & 0x80U;
    const Term magnitude = bits & 0x7fffffffU;
    // Adding 1.5 * 2^23 rounds a small number to an integer, which is then in the low bits.
    const Term scaled = bitcastTo(DType::F32, magnitude) * format.subnormalsPerOne + 12582912.0;
    const Term subnormal = bitcastTo(DType::U32, scaled) & 0xffU;
    const std::uint32_t dropped = kSingleMantissa - format.mantissa;
    const Term rebiased = magnitude - (format.biasDifference << kSingleMantissa);
    const Term normal = (rebiased + ((1U << (dropped - 1)) - 1U) + ((rebiased >> dropped) & 1U)) >> dropped;
    Term code = choose(isLess(magnitude, format.smallestNormal), subnormal, normal);
    code = choose(isLess(magnitude, format.overflowsFrom), code, format.overflow);
    code = choose(isLess(kSingleInfinity, magnitude), format.nan, code);
    return bitcastTo(to, castTo(DType::U8, sign | code));
}

Term widen(Term x)
{
    const DType from = x.writer->at(x).dtype;
    const Term code = castTo(DType::U32, bitcastTo(DType::U8, x));
    const NarrowFormat &format = formatOf(from);
    const std::uint32_t dropped = kSingleMantissa - format.mantissa;
    const Term sign = (code & 0x80U) << 24U;
    const Term magnitude = code & 0x7fU;
    const Term normal = (magnitude << dropped) + (format.biasDifference << kSingleMantissa);
    const Term small = bitcastTo(DType::U32, castTo(DType::F32, magnitude) * (1 / format.subnormalsPerOne));
    Term bits = choose(isLess(magnitude, 1U << format.mantissa), small, normal);
    if (format.overflow != format.nan) { // it has infinities; NaN is made quiet
        const Term special = (magnitude << dropped) + (2 * format.biasDifference << kSingleMantissa);
        const Term quiet = choose(isLess(format.overflow, magnitude), special | 0x400000U, special);
        bits = choose(isLess(magnitude, format.overflow), bits, quiet);
    } else {
        bits = choose(isEqual(magnitude, format.nan), 0x7fc00000U, bits);
    }
    return bitcastTo(DType::F32, sign | bits);
}

bool isFromFloat8(DType from, DType)
{
    return isFloat8(from);
}

bool isToFloat8(DType from, DType to)
{
    return isFloat8(to) && !isFloat8(from);
}

constexpr std::array kRules = {
    CastRule{"widen-f8", "The sign, exponent and fraction put at their places in an f32, which every 8-bit float is exactly.",
             &isFromFloat8, [](Term x, DType to) { return castTo(to, widen(x)); }},
    CastRule{"narrow-f8", "Rounds the bits of an f32 to nearest even; subnormals, overflow and NaN by choices.", &isToFloat8,
             &narrow},
};

} // namespace

std::span<const CastRule> castRules()
{
    return kRules;
}

} // namespace sw
