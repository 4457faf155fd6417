#pragma once
// How many rows the stages of a kernel compute before the next stage goes on with them.

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <limits>
#include <span>

namespace sw {

// A register tile has about so many rows, and each block reads the matrices beside the rows anew.
inline constexpr std::int64_t kLeastBlockRows = 8;
// Of the caches that the cores share, against memory.
inline constexpr double kFartherCacheBandwidth = 4;
// Fewer rows will do where they keep at least as many bytes as are read anew.
[[nodiscard]] std::int64_t leastBlockRows(std::int64_t rowBytes, double besideBytes);
// All rows are so many blocks at least, for the threads to share.
[[nodiscard]] double fewestBlocks(const DeviceInfo &device);

struct BlockLimits {
    std::int64_t least = kLeastBlockRows;
    double allRows = std::numeric_limits<double>::infinity(); // of all row axes
};

// The bytes of what the stages of a work item may keep at a time: a part of the core's own cache.
[[nodiscard]] std::int64_t blockBytes(const DeviceInfo &device);

// What the stages hand on. A row of a padded image is a whole channel of it, which is a block by itself: it serves no other row,
// and the fewer bytes a block has, the nearer to the core they stay.
enum class BlockOf : std::uint8_t { Rows, PaddedImage };
[[nodiscard]] BlockOf whatBlocksHave(const Graph &graph, std::span<const NodeId> stages);

// Whether a run had better not need memory for what the stages keep of all rows, however long it takes to do without: the scores
// of all pairs of places grow with the square of what they are computed from.
[[nodiscard]] bool areTooManyToStore(std::int64_t rowBytes, double allRows);

// About as many rows as keep the values that the stages hand on, `rowBytes` for each row, in a part of the core's own cache: so
// many that whole blocks and whole vectors cover `rows` (indices of the last row axis), as far as that is possible. 0: not even
// the least fit.
[[nodiscard]] std::int64_t blockRowsOf(const DeviceInfo &device, std::int64_t rowBytes, std::int64_t rows, BlockOf what,
                                       const BlockLimits &limits = {});

} // namespace sw
