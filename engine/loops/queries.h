#pragma once
// Questions about a nest that the heuristic, the lowering and the printer ask.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <vector>

namespace sw {

[[nodiscard]] std::optional<AxisId> axisNamed(const LoopNest &nest, std::string_view name);

// The unsplit axis that a leaf came from.
[[nodiscard]] AxisId unsplitAxis(const LoopNest &nest, AxisId leaf);

// How many indices of the unsplit axis a round of the leaf goes on.
[[nodiscard]] std::int64_t stepOf(const LoopNest &nest, AxisId leaf);

// For each value, the sorted unsplit axes that it depends on. A reduction's result does not depend on the reduction's own axes.
[[nodiscard]] std::vector<std::vector<AxisId>> valueDependencies(const LoopNest &nest);

// The values that a value needs, including itself; values inside reductions only if asked.
enum class ThroughReductions : std::uint8_t { No, Yes };
[[nodiscard]] std::vector<ValueId> valuesUnder(const LoopNest &nest, ValueId root, ThroughReductions through);

// The loops that stand still while a copy is made, with the one at which it is made. What is repeated in registers is inside of
// all loops, wherever its list names it. A copy that a group shares is for all its items, so their places do not stand still.
[[nodiscard]] std::vector<AxisId> loopsOutsideOf(const LoopNest &nest, const Pack &pack);

// An axis that moves the packed load inside the loop where it is packed, but does not index the copy: the copy would then hold
// elements of another index. Nothing when the pack is sound.
[[nodiscard]] std::optional<AxisId> axisMissingInPack(const LoopNest &nest, const Pack &pack);
// Why an axis cannot index the copy: a part of it is a loop outside of the copy, from whose start it would not count, or it
// leaves the rest of a split out. Nothing when all can.
[[nodiscard]] std::optional<std::string> packProblemOf(const LoopNest &nest, const Pack &pack);

// A loop over a part of a reduction may stand among the loops of the domain. The reduction is then done in blocks: the loops
// inside of that one run once for each block and add what the block gives to partial results in memory; when the last block is
// done, they run once more to read the results. Nothing when there is no such loop.
[[nodiscard]] std::optional<AxisId> blockLoopOf(const LoopNest &nest);
// Why the reduction cannot be done in the blocks that the nest's order asks for; nothing when it can, or when it asks for
// none.
[[nodiscard]] std::optional<std::string> blockProblemOf(const LoopNest &nest);
// The leaves of the domain inside of the loop over blocks, or repeated in registers: they index the partial results.
[[nodiscard]] std::vector<AxisId> leavesInBlocks(const LoopNest &nest);

// The leaves of an axis, outer parts first; the axis itself if it is not split.
[[nodiscard]] std::vector<AxisId> leavesOf(const LoopNest &nest, AxisId axis);

// The part of an unsplit axis that is repeated in registers: the outermost one all of whose leaves are Upcast, Unroll or Vector.
// Invalid when there is none.
[[nodiscard]] AxisId tileOf(const LoopNest &nest, AxisId unsplit);
// Whether the axis has the same extent everywhere: nothing is left over by the splits that it is a part of.
[[nodiscard]] bool hasOneExtent(const LoopNest &nest, AxisId axis);
// The vector of the unsplit axis whose rest is one vector, too; invalid: there is none.
[[nodiscard]] AxisId maskedVectorOf(const LoopNest &nest, AxisId unsplit);
// Whether a loop of this type is repeated in registers.
[[nodiscard]] bool isRepeated(AxisType type);

// The number of work items in a group: the places that the Local leaves of one loop list have, of the list with the most; 1 if
// there is none.
[[nodiscard]] std::int64_t groupItemsOf(const LoopNest &nest);

// The factors of a reduction whose steps are products of tiles: rows of a times columns of b.
struct TileRoles {
    ValueId a;      // does not move with the vector axis
    ValueId b;      // does not move with any other axis that the tile repeats
    AxisId columns; // the domain's vector axis, unsplit
};
// The values of a tile: rows x depth times depth x columns.
struct TileExtents {
    std::int64_t rows = 1;    // kept in registers
    std::int64_t columns = 1; // in the lanes
    std::int64_t depth = 1;   // steps of the reduction that are written out
};
[[nodiscard]] TileExtents tileExtentsOf(const LoopNest &nest, ReductionId reduction);
// Why the reduction's steps cannot be products of tiles; nothing when they can. They can when the reduction sums a product, one
// factor moves with the domain's vector axis and no other repeated axis, and the other factor does not move with that axis.
[[nodiscard]] std::optional<std::string> tileProblemOf(const LoopNest &nest, ReductionId reduction);
[[nodiscard]] TileRoles tileRolesOf(const LoopNest &nest, ReductionId reduction);

// The order of a tile of a product's right factor in memory: groups of steps, in each of them the columns, in each of those the
// steps of the group.
struct TileOrder {
    AxisId columns; // unsplit axes
    AxisId steps;
    std::int64_t width = 1; // columns of a tile
    std::int64_t group = 1; // steps; see depthGroupOf
};
// Whether what the load reads lies in memory in that order, so that a whole tile is one piece of it.
[[nodiscard]] bool liesInTiles(const LoopNest &nest, ValueId load, const TileOrder &order);

} // namespace sw
