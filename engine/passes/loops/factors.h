#pragma once
// The numbers that extents are split by.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sw {

// Size of a group of work items that share nothing: a few of the units of 32 or 64 lanes that GPUs schedule.
inline constexpr std::int64_t kItemsPerGroup = 128;

// The largest power of two up to the value; 1 for values below 1.
[[nodiscard]] inline std::int64_t floorPowerOfTwo(std::int64_t value)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

// The largest divisor of the value up to a limit; at least 1.
[[nodiscard]] inline std::int64_t largestDivisor(std::int64_t value, std::int64_t limit)
{
    std::int64_t divisor = std::max<std::int64_t>(std::min(value, limit), 1);
    while (value % divisor != 0)
        --divisor;
    return divisor;
}

// How many bytes of copies stay in a core's own cache, of which other data needs half, and in a work item's memory.
[[nodiscard]] inline std::int64_t mostCopiedBytes(std::int64_t cacheBytesPerCore, std::int64_t scratchBytes)
{
    return std::min(cacheBytesPerCore, scratchBytes) / 2;
}

// Tiles of tensor instructions that all have the same rows: so many, at most; with fewer than these, they are not worth it.
inline constexpr std::int64_t kFewestTileRows = 4;
[[nodiscard]] inline std::int64_t evenTileRows(std::int64_t rows, std::int64_t most)
{
    return largestDivisor(rows, std::min(rows, most));
}

} // namespace sw
