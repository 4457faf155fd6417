#include "engine/types/float_formats.h"

#include <bit>
#include <cmath>

namespace sw {

namespace {

// Rounds to odd: the f32 nearest towards zero, with its last bit set when anything was lost. A second rounding to a format at
// least two bits narrower then gives the same result as one direct rounding (Boldo and Melquiond, 2008).
float roundToOdd(double value)
{
    const auto nearest = static_cast<float>(value);
    if (std::isnan(value) || std::isinf(value) || static_cast<double>(nearest) == value)
        return nearest;
    float towardsZero = nearest;
    if (std::abs(static_cast<double>(nearest)) > std::abs(value))
        towardsZero = std::nextafter(nearest, 0.0F);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(towardsZero) | 1U);
}

} // namespace

std::uint16_t f16FromF32(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U)
        return static_cast<std::uint16_t>(sign | 0x7e00U | ((magnitude >> 13U) & 0x1ffU));
    if (magnitude >= 0x477ff000U) // 65520 and above rounds to infinity
        return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (magnitude < 0x38800000U) { // below 2^-14: subnormal, a multiple of 2^-24
        const float scaled = std::bit_cast<float>(magnitude) * 0x1p24F;
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(scaled)));
    }
    const std::uint32_t rebiased = magnitude - (112U << 23U);
    const std::uint32_t rounded = rebiased + 0xfffU + ((rebiased >> 13U) & 1U);
    return static_cast<std::uint16_t>(sign | (rounded >> 13U));
}

float f32FromF16(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0x1fU)
        return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13U) | (fraction != 0 ? 0x400000U : 0U));
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
}

std::uint16_t bf16FromF32(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

float f32FromBf16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

std::uint8_t f8e5m2FromF32(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 24U) & 0x80U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U)
        return static_cast<std::uint8_t>(sign | 0x7eU);
    if (magnitude >= 0x47700000U) // 61440 and above rounds to infinity
        return static_cast<std::uint8_t>(sign | 0x7cU);
    if (magnitude < 0x38800000U) // below 2^-14: subnormal, a multiple of 2^-16
        return static_cast<std::uint8_t>(sign |
                                         static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p16F)));
    const std::uint32_t rebiased = magnitude - (112U << 23U);
    return static_cast<std::uint8_t>(sign | ((rebiased + 0xfffffU + ((rebiased >> 21U) & 1U)) >> 21U));
}

float f32FromF8e5m2(std::uint8_t bits)
{
    return f32FromF16(static_cast<std::uint16_t>(bits << 8U));
}

std::uint8_t f8e4m3FromF32(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 24U) & 0x80U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x43e80000U) // above 464, halfway to the next step, 480: becomes NaN, as infinity and NaN do
        return static_cast<std::uint8_t>(sign | 0x7fU);
    if (magnitude < 0x3c800000U) // below 2^-6: subnormal, a multiple of 2^-9
        return static_cast<std::uint8_t>(sign |
                                         static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p9F)));
    const std::uint32_t rebiased = magnitude - (120U << 23U);
    return static_cast<std::uint8_t>(sign | ((rebiased + 0x7ffffU + ((rebiased >> 20U) & 1U)) >> 20U));
}

float f32FromF8e4m3(std::uint8_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24U;
    const std::uint32_t magnitude = bits & 0x7fU;
    if (magnitude == 0x7fU)
        return std::bit_cast<float>(sign | 0x7fc00000U);
    if (magnitude < 8U)
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-9F));
    return std::bit_cast<float>(sign | ((magnitude << 20U) + (120U << 23U)));
}

std::uint16_t f16FromF64(double value)
{
    return f16FromF32(roundToOdd(value));
}

std::uint16_t bf16FromF64(double value)
{
    return bf16FromF32(roundToOdd(value));
}

std::uint8_t f8e5m2FromF64(double value)
{
    return f8e5m2FromF32(roundToOdd(value));
}

std::uint8_t f8e4m3FromF64(double value)
{
    return f8e4m3FromF32(roundToOdd(value));
}

} // namespace sw
