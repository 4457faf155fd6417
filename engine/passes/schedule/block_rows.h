#pragma once
// How many rows the stages of a kernel compute before the next stage goes on with them.

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <span>

namespace sw {

// A register tile has about so many rows, and each block reads the matrices beside the rows anew.
inline constexpr std::int64_t kLeastBlockRows = 8;

// What the stages hand on. A row of a padded image is a whole channel of it, which is a block by itself: it serves no other row,
// and the fewer bytes a block has, the nearer to the core they stay.
enum class BlockOf : std::uint8_t { Rows, PaddedImage };
[[nodiscard]] BlockOf whatBlocksHave(const Graph &graph, std::span<const NodeId> stages);

// As many rows as keep the values that the stages hand on, `rowBytes` for each row, in a part of the core's own cache; a divisor
// of `rows` (indices of the last row axis) when one is near. 0: not even a few fit.
[[nodiscard]] std::int64_t blockRowsOf(const DeviceInfo &device, std::int64_t rowBytes, std::int64_t rows, BlockOf what);

} // namespace sw
