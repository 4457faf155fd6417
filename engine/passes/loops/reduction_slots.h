#pragma once
// The steps of a reduction that are written out, and the accumulators for them.

#include "engine/passes/loops/tiling.h"

#include <cstdint>
#include <map>
#include <vector>

namespace sw {

// The chunks at which a value is computed, one per unsplit axis that has a tile. At most one chunk has more than one lane.
using Point = std::map<AxisId, Chunk>;

// Of the tiles of a reduction's axes.
struct WrittenOutSteps {
    std::vector<AxisId> tiles = {};
    std::vector<Point> possible = {Point{}}; // of whole tiles and of rests
    std::uint32_t fullLanes = 1;
};

// Selects an accumulator of one point of the domain: there is one per lane count and position in the reduction's tiles.
struct Slot {
    std::vector<std::int64_t> position = {};
    std::uint32_t lanes = 1;
    auto operator<=>(const Slot &) const = default;
};

// The rest of a split reuses the accumulators of whole vectors; narrower chunks have their own, one per lane count.
[[nodiscard]] inline Slot slotOf(const Point &step, std::uint32_t lanes, std::uint32_t fullLanes)
{
    Slot slot{.lanes = lanes};
    for (const auto &[axis, chunk] : step)
        slot.position.push_back(lanes == fullLanes ? chunk.offset : -1);
    return slot;
}

} // namespace sw
