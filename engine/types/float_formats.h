#pragma once
// Conversions between f32 and the formats of 16 and 8 bits: round to nearest even, subnormals kept, NaN stays NaN with its sign,
// overflow gives infinity, except in f8e4m3, which has none and gives NaN. Checked against the vectors in tests/unit/types.

#include <cstdint>

namespace sw {

[[nodiscard]] std::uint16_t f16FromF32(float value);
[[nodiscard]] float f32FromF16(std::uint16_t bits);
[[nodiscard]] std::uint16_t bf16FromF32(float value);
[[nodiscard]] float f32FromBf16(std::uint16_t bits);

[[nodiscard]] std::uint8_t f8e5m2FromF32(float value);
[[nodiscard]] float f32FromF8e5m2(std::uint8_t bits);
[[nodiscard]] std::uint8_t f8e4m3FromF32(float value);
[[nodiscard]] float f32FromF8e4m3(std::uint8_t bits);

// Directly from f64, so that values are rounded only once.
[[nodiscard]] std::uint16_t f16FromF64(double value);
[[nodiscard]] std::uint16_t bf16FromF64(double value);
[[nodiscard]] std::uint8_t f8e5m2FromF64(double value);
[[nodiscard]] std::uint8_t f8e4m3FromF64(double value);

} // namespace sw
