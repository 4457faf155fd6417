#pragma once
// Values for inputs that nobody gave: the same for the same seed, on every machine.

#include "engine/types/host_tensor.h"

#include <cstdint>

namespace sw {

// Floats: uniform in [-1, 1]. Integers: uniform in 0..9, small enough for indices and exact sums; so are the words of u32x4.
// Bools: even odds.
[[nodiscard]] HostTensor randomTensor(DType dtype, const Shape &shape, std::uint64_t seed);

} // namespace sw
