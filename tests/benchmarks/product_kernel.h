#pragma once
// A matrix product as a kernel of one work item, scalar by scalar or in vectors.

#include "engine/lowered/lowered.h"

#include <cstdint>

namespace sw::benchmark {

// Both matrices have `size` rows and columns. The arguments are left, right, product.
[[nodiscard]] LoweredKernel productKernel(std::int64_t size, std::uint32_t lanes);

} // namespace sw::benchmark
