#pragma once
// Vectors whose lanes lie a few elements apart in memory, as where a window moves by two columns: all that lies between is read
// in vectors, and registers pick the lanes (`shuffle` in the lowered form).

#include <cstdint>

namespace sw {

// Elements from lane to lane, at most: each is one more vector to read.
inline constexpr std::int64_t kMostSpread = 4;
inline constexpr std::int64_t kLeastSpreadLanes = 4; // fewer are read as fast one by one

[[nodiscard]] constexpr bool isReadSpread(std::int64_t stride, std::int64_t lanes)
{
    return stride > 1 && stride <= kMostSpread && lanes >= kLeastSpreadLanes;
}

// Whether vectors whose neighbours come from so many places in turns are read as one vector from each place.
[[nodiscard]] constexpr bool isReadInTurns(std::int64_t places)
{
    return places == 2 || places == 4;
}

} // namespace sw
