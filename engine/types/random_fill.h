#pragma once
// Values for inputs that were not given: the same seed gives the same values on every machine.

#include "engine/types/host_tensor.h"

#include <cstdint>

namespace sw {

// Floats: uniform in [-1, 1]. Integers, and the words of u32x4: uniform in 0..9, small enough for indices and exact sums.
// Bools: even odds.
[[nodiscard]] HostTensor randomTensor(DType dtype, const Shape &shape, std::uint64_t seed);

} // namespace sw
