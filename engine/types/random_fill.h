#pragma once
// Values for inputs that were not given: the same seed gives the same values on every machine.

#include "engine/types/host_tensor.h"

#include <cstdint>

namespace sw {

// Floats: uniform in [-1, 1]. Integers, and the words of u32x4: uniform in 0..9, small enough for indices and exact sums.
// Bools: even odds.
[[nodiscard]] HostTensor randomTensor(DType dtype, const Shape &shape, std::uint64_t seed);

// Uniform in [low, high); of integer types whole numbers, both bounds included. Not for truth values and words.
[[nodiscard]] HostTensor uniformTensor(DType dtype, const Shape &shape, std::uint64_t seed, double low, double high);
// Normally distributed, rounded to whole numbers for integer types. Not for truth values and words.
[[nodiscard]] HostTensor normalTensor(DType dtype, const Shape &shape, std::uint64_t seed, double mean, double deviation);

} // namespace sw
