#pragma once
// The register tile of a contraction: what choose_contraction.cpp prices, and how the nest is given it.

#include "engine/passes/loops/nest_plan.h"

#include <string>
#include <vector>

namespace sw {

// So many steps of a reduction come between two additions to its partial results, where it is done in blocks; half as many, or a
// quarter, where the first level of the cache has no room for a panel of them beside the rows.
inline constexpr std::int64_t kBlockSteps = 256;
inline constexpr std::int64_t kFewestBlockSteps = 64;

struct TileChoice {
    AxisId vectorAxis; // of the domain, or of the reduction
    AxisId rowAxis;    // invalid: none
    std::int64_t lanes = 1;
    std::int64_t vectors = 1;
    std::int64_t rows = 1;
    bool isMasked = false;       // what the vectors leave over is one vector, too
    std::int64_t blockSteps = 0; // of the outermost axis of the reduction; 0: the
                                 // reduction is not done in blocks
    std::vector<ValueId> packed = {};
    const char *packReason = "";
    ValueId copiedRows = {}; // what each row of tiles copies for so many panels of columns; invalid: nothing
    std::int64_t panelsPerCopy = 0;
    std::vector<AxisId> writtenOut = {}; // of the reduction: their steps in padding are left out
    AxisId rowSteps = {};                // the one of them that moves along the rows; invalid: none does
    ValueId rowLoad = {};                // a load of vectors that serve neighbouring rows at different steps; invalid: none do
    double computed = 1;                 // the part of all steps that is left
    double cycles = 0;
    bool leavesCache = false; // the rows do not stay in the core's own cache with a panel
    bool fitsAlone = false;   // of blocks: a panel of all steps would stay there, but for the rows
    double waiting = 0;       // cycles more, for lines that rows side by side in memory lose from tile to tile
};

// What is said of all that makes the tile.
[[nodiscard]] std::string tileReason(const NestPlan &plan, const TileChoice &choice);
// The part of an axis that is repeated in registers, once it is tiled.
[[nodiscard]] AxisId tileOf(const NestPlan &plan, AxisId axis);
// Writes out the steps that the choice says, so that those in padding can be left out.
void applyWrittenOut(NestPlan &plan, const TileChoice &choice);
// Masks the vector of the tile, if it is chosen to be.
void applyMask(NestPlan &plan, const TileChoice &choice);
// total: the operations of the kernel.
void applyTile(NestPlan &plan, const TileChoice &choice, std::int64_t total);

// Likewise, where the choice copies rows.
void applyTileOfCopiedRows(NestPlan &plan, const TileChoice &choice, std::int64_t total);
inline constexpr const char *kRowsCopied = "read again for every panel of columns, by a few elements of many lines";

// Whether the reduction may be done in blocks: its sums are then added up in another order.
[[nodiscard]] bool canBeInBlocks(const NestPlan &plan);
// Whether the tile leaves loops over both of its axes, and the partial results of a work item stay in its cache, which has other
// loops around the rows if nothing else stands between a panel and its readers.
[[nodiscard]] bool canTileInBlocks(const NestPlan &plan, const TileChoice &choice);
// How many panels each copy of rows would serve in blocks; 0: a work item has the rows of one tile, and copies none.
[[nodiscard]] std::int64_t panelsPerCopyInBlocks(const NestPlan &plan, const TileChoice &choice);
void applyTileInBlocks(NestPlan &plan, const TileChoice &choice);

// The tiles of a tensor instruction: what choose_tensor.cpp prices.
struct TensorChoice {
    TensorInstruction instruction = {};
    AxisId columns;
    AxisId rows;
    ValueId a;              // the narrow factors
    ValueId b;              // a load, which is copied into the order of the tiles
    bool isInOrder = false; // b lies in memory as the tiles read it, so it is not copied
    std::int64_t depth = 1;
    std::int64_t vectors = 1; // tiles side by side
    std::int64_t tileRows = 1;
    std::int64_t share = 1; // of tile registers: so many panels of columns are copied at once
    bool isByRows = false;  // the work items share the rows, and each goes through all columns
    bool isByPanel = false; // or each panel of columns goes through all rows: together they do not stay in the cache
    double copiesOfA = 0;   // of each element
    double copiesOfB = 0;
    double cycles = 0;
};
// The cheapest tiles of the device's tensor instructions; nothing where none fits.
[[nodiscard]] std::optional<TensorChoice> bestTensorTile(const NestPlan &plan);
// What that choice gives a nest with tiles of an instruction. plan: of the nest before anything was chosen. Nothing: tile
// registers are not read from copies, or the tiles are not in a row and a column axis as the choice has them.
[[nodiscard]] std::optional<double> tensorCycles(const NestPlan &plan, const LoopNest &made);
// otherwise: the cycles of the cheapest way without.
void applyTensorTile(NestPlan &plan, const TensorChoice &choice, double otherwise, std::int64_t total);

} // namespace sw
