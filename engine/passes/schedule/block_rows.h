#pragma once
// How many rows the stages of a kernel compute before the next stage goes on with them.

#include "engine/backend/backend.h"

#include <cstdint>

namespace sw {

// A register tile has about so many rows, and each block reads the matrices beside the rows anew.
inline constexpr std::int64_t kLeastBlockRows = 8;

// As many rows as keep the values that the stages hand on, `rowBytes` for each row, in a part of the core's own cache; a divisor
// of `rows` (indices of the last row axis) when one is near. 0: not even a few fit.
[[nodiscard]] std::int64_t blockRowsOf(const DeviceInfo &device, std::int64_t rowBytes, std::int64_t rows);

} // namespace sw
