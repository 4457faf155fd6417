#pragma once
// What the heuristic does for each kind of kernel on a CPU, and for a GPU. Each function transforms the plan's nest.

#include "engine/passes/loops/nest_plan.h"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace sw {

// The nest has reductions, and each point of the domain has results of its own of all of them.
[[nodiscard]] bool isContraction(const NestPlan &plan);
// Divides the axes along which memory is read row by row, if vectors along them would lie in two rows each, and those whose
// neighbours come from a few places in turns. It comes first: what is chosen after it sees the rows as loops.
void divideUnevenAxes(NestPlan &plan);
void chooseForMap(NestPlan &plan);         // no reductions
void chooseForRows(NestPlan &plan);        // reductions along rows, then a loop over each row
void chooseForContraction(NestPlan &plan); // one reduction result per point of the domain
// Of a nest for which all else is chosen: the last of several passes over a row fetches the next row.
void choosePrefetches(NestPlan &plan);
// One reduction down the columns of what is read once; false: the nest is not of that kind, or too narrow for all threads.
bool chooseForColumns(NestPlan &plan);
void chooseForGpu(NestPlan &plan);
// A tile of sums for each group of a GPU, which copies what it reads into its memory; false: the nest is no product, or too small
// for that to be cheaper.
bool chooseGroupTiles(NestPlan &plan);
// Products of tiles, for nests that multiply narrow elements and add them up as wider ones. On a GPU the first function chooses
// its own tiles (false: the nest is not of that kind); the second uses the tiles that were chosen before.
bool chooseTilesForGpu(NestPlan &plan);
void tensorizeNarrowProducts(NestPlan &plan);
// A kernel in stages: the block of rows, the work items that share the blocks out, and for each stage what `chooseStage` does for
// a kernel of one block.
void chooseForStages(NestPlan &plan, const std::function<void(NestPlan &)> &chooseStage);
[[nodiscard]] bool isNarrowProduct(const LoopNest &nest);
// The innermost axes of the domain that one factor of the product moves with and the other does not.
struct TileAxes {
    AxisId rows;
    AxisId columns;
    std::size_t columnFactor = 1; // the operand of the product that moves with the columns
};
// dependencies: valueDependencies(nest).
[[nodiscard]] std::optional<TileAxes> tileAxes(const LoopNest &nest, const std::vector<std::vector<AxisId>> &dependencies);
// Unrolls the loops whose body the program asks to be written out, after everything else.
void unrollAsAsked(NestPlan &plan);

// The domain axes that some reduction depends on, in their order: the reductions are computed once for each of their points.
[[nodiscard]] std::vector<AxisId> rowAxes(const NestPlan &plan);
// Moves the loops over `rows` outside. Returns the other axes of the domain.
std::vector<AxisId> rowsOutside(NestPlan &plan, const std::vector<AxisId> &rows, const std::string &reason);

// Rows of a few points whose values come mostly from work that is the same for the whole row, such as the words of a random
// number, or an angle's sine and cosine. Where it is cheaper, the points of a row are computed together: vectors along the rows
// do that work in all their lanes and transpose what they store, and a work item of a GPU does it once for all its points.
struct ShortRows {
    AxisId rows;  // the last axis of the domain but one
    AxisId along; // the last one
};
[[nodiscard]] std::optional<ShortRows> shortRows(const NestPlan &plan);
[[nodiscard]] std::string shortRowsReason(const NestPlan &plan, const ShortRows &rows);

// The short axes along which a cat takes each index from another value, such as the rows of a small matrix of sums: written out,
// each point computes its own value alone, and all share their work. Not the last axis: shortRows decides about that.
[[nodiscard]] std::vector<AxisId> axesOfParts(const NestPlan &plan);
[[nodiscard]] std::string partsReason(const NestPlan &plan, AxisId axis);

// What a loop body does.
struct BodyWork {
    std::int64_t perPoint = 0; // operations
    std::int64_t total = 0;    // of all points together
};

// The vectors that a loop body computes at a time.
struct VectorShape {
    std::int64_t registers = 1; // that each of them fills
    std::int64_t repeats = 1;   // vectors side by side
    [[nodiscard]] std::string reason(const std::string &before) const;
};

// Small bodies get several vectors, so that the loop itself costs little and sums do not wait for each other. Long ones get
// vectors of several registers, where the accesses allow that, so that their chains of steps do not wait either. All of it is
// more code.
[[nodiscard]] VectorShape vectorShape(const NestPlan &plan, AxisId axis, const BodyWork &work,
                                      std::span<const NestAccess> accesses);

// Computes such vectors along the axis: maps do this, and rows after their reductions.
void tileInVectors(NestPlan &plan, AxisId axis, const VectorShape &shape, const std::string &reason);

// Marks stores to buffers that are larger than the caches, unless the operations that a point takes while it is stored take
// longer than its memory, or a dimension decides how much is stored. It takes effect where they are written in whole aligned
// vectors.
void streamLargeStores(NestPlan &plan);

} // namespace sw
