#pragma once
// How the axes of a nest unfold: which leaf is a loop, which are repeated in registers, where the rests of splits go.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <utility>
#include <vector>

namespace sw {

// Indices of an unsplit axis that are computed together, one lane each: offset, offset + step, ...
struct Chunk {
    std::int64_t offset = 0;
    std::uint32_t lanes = 1;
    std::int64_t step = 1;
    std::uint32_t missing = 0; // of the lanes, at their end: those of a masked vector that have no index
    auto operator<=>(const Chunk &) const = default;
};

struct SplitParts {
    AxisId outer;
    AxisId inner;
};

// The fixed facts of a nest's axes.
class Tiling {
public:
    explicit Tiling(const LoopNest &nest);

    [[nodiscard]] const std::optional<SplitParts> &partsOf(AxisId axis) const { return m_parts[axis.value]; }
    [[nodiscard]] AxisId unsplit(AxisId axis) const { return m_unsplit[axis.value]; }
    // How many steps of its unsplit axis one step of the axis makes.
    [[nodiscard]] std::int64_t strideOf(AxisId axis) const { return m_strides[axis.value]; }
    // The part of an unsplit axis that is repeated in registers: the outermost axis all of whose leaves are Upcast, Unroll or
    // Vector. Invalid when there is none.
    [[nodiscard]] AxisId tileOf(AxisId unsplit) const { return m_tiles[unsplit.value]; }
    // The chunks of a tile of `extent` indices: whole vectors first, then the rest in smaller and smaller vectors, or in one
    // if the vector is masked.
    [[nodiscard]] std::vector<Chunk> chunksOf(AxisId tile, std::int64_t extent) const;
    // The numbers of indices that the axis has in the main parts and the rests of the splits above it, largest first.
    [[nodiscard]] std::vector<std::int64_t> extentsOf(AxisId axis) const;
    // Whether the axis is the other one, or a part of it.
    [[nodiscard]] bool isPartOf(AxisId axis, AxisId whole) const;
    [[nodiscard]] std::vector<AxisId> leavesOf(AxisId axis) const;
    // The leaves of a loop list that are loops, in order.
    [[nodiscard]] std::vector<AxisId> loopsOf(const std::vector<AxisId> &order) const;
    [[nodiscard]] bool isInTile(AxisId leaf) const;

private:
    const LoopNest &m_nest;
    std::vector<std::optional<SplitParts>> m_parts;
    std::vector<AxisId> m_unsplit;
    std::vector<std::int64_t> m_strides;
    std::vector<AxisId> m_tiles;
};

} // namespace sw
