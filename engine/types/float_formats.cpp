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

std::uint16_t f16FromF64(double value)
{
    return f16FromF32(roundToOdd(value));
}

std::uint16_t bf16FromF64(double value)
{
    return bf16FromF32(roundToOdd(value));
}

} // namespace sw
