#pragma once
// Conversions between f32 and the 16-bit formats: round to nearest even, subnormals kept, NaN stays NaN with its sign, overflow
// gives infinity. Checked against the vectors in tests/unit/types.

#include <cstdint>

namespace sw {

[[nodiscard]] std::uint16_t f16FromF32(float value);
[[nodiscard]] float f32FromF16(std::uint16_t bits);
[[nodiscard]] std::uint16_t bf16FromF32(float value);
[[nodiscard]] float f32FromBf16(std::uint16_t bits);

// Direct from f64, without rounding twice.
[[nodiscard]] std::uint16_t f16FromF64(double value);
[[nodiscard]] std::uint16_t bf16FromF64(double value);

} // namespace sw
