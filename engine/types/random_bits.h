#pragma once
// Turns random bits into numbers.

#include "engine/types/scalar.h"
#include "engine/types/threefry.h"

namespace sw {

// Floats: the most significant bits, as many as the significand holds, as a fraction: truncated, so always below 1. Integers: the
// bits themselves. `bits` has as many bits as the type.
[[nodiscard]] Scalar uniformOf(DType dtype, std::uint64_t bits);

// Bits of a float's significand, including the hidden one: 24 for f32.
[[nodiscard]] std::uint32_t significandBits(DType dtype);

} // namespace sw
