#pragma once
// The factors of a product of narrow elements as tensor instructions take them, and the tiles that fit them: what the choice
// prices, and what the tuner draws.

#include "engine/passes/loops/choose.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sw {

struct TensorFactors {
    TileAxes axes;
    ValueId a; // the narrow factors: of the rows
    ValueId b; // and of the columns, a load that may be copied
};
// Nothing where the kernel is no sum of products of narrow elements with a row and a column axis, or the columns cannot be
// copied. dependencies: valueDependencies(nest).
[[nodiscard]] std::optional<TensorFactors> tensorFactorsOf(const LoopNest &nest,
                                                           const std::vector<std::vector<AxisId>> &dependencies);

// Those of the set that multiply elements of these types.
[[nodiscard]] std::vector<TensorInstruction> instructionsFor(const LoopNest &nest, const TensorFactors &factors,
                                                             std::uint32_t set);
// Whether the rows can be copied, and rows and columns are whole tiles. Tile registers need both: they have one shape in a
// kernel, and are read from copies.
[[nodiscard]] bool areWholeTiles(const LoopNest &nest, const TensorFactors &factors, const TensorInstructionInfo &info);
// Whether the rows can be read from a copy.
[[nodiscard]] bool canCopyRows(const LoopNest &nest, const TensorFactors &factors);
// The depths of a tile that divide the innermost axis of the reduction, the largest first.
[[nodiscard]] std::vector<std::int64_t> depthsFor(const LoopNest &nest, const TensorInstructionInfo &info);
// Whether the columns lie in memory as the instruction reads them, so that they need no copy.
[[nodiscard]] bool areColumnsInOrder(const LoopNest &nest, const TensorFactors &factors, const TensorInstructionInfo &info);

// The registers for the sums of so many tiles, and for what a step reads: tiles of `tilesOfRows` x `vectors`.
[[nodiscard]] std::int64_t registersFor(const TensorInstructionInfo &info, std::int64_t tilesOfRows, std::int64_t vectors);

// The axes of the copies from which the instruction reads its tiles, outermost first, after rows, columns and steps have been
// split for it. loops: the first ones, over the parts of the factor that are inside of the loop where the copy is made.
[[nodiscard]] std::vector<AxisId> copyOfColumns(const LoopNest &nest, AxisId columns, const TensorInstructionInfo &info,
                                                std::vector<AxisId> loops);
[[nodiscard]] std::vector<AxisId> copyOfRows(const LoopNest &nest, AxisId rows, std::vector<AxisId> loops);

} // namespace sw
