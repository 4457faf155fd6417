#pragma once
// What the tiles of a contraction cost, in cycles of a core that does two vector operations and two loads per cycle.

#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/padded_steps.h"
#include "engine/passes/loops/rows_together.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// A coordinate of which steps may be left out, and the part of all pairs of its two axes' indices that is no padding.
struct PaddedPart {
    PaddedCoordinate coordinate;
    double part = 1;
};

struct ContractionFacts {
    std::vector<NestAccess> loads;   // of all the reductions' bodies
    std::vector<std::size_t> readIn; // for each load, the number of its reduction
    std::vector<NestAccess> outputs; // stores, and loads outside the reductions
    std::int64_t reductions = 1;
    std::int64_t steps = 1;  // of the (longest) reduction
    std::int64_t blocks = 1; // in which the reduction is done
    std::int64_t operations = 1;
    double latency = 1;        // cycles until a sum can be added to again
    std::int64_t sumBytes = 0; // of an element of the sums
    std::int64_t lanes = 1;
    std::int64_t otherBytes = 0; // of the smallest buffer that is read: the panels are of another one
    std::vector<PaddedPart> padding = {};
};
[[nodiscard]] ContractionFacts contractionFactsOf(const NestPlan &plan);

// Of the nest's only reduction.
[[nodiscard]] std::vector<PaddedPart> paddedPartsOf(const NestPlan &plan);
// Notes in `choice` which loops of the reduction are written out for its tile, and which part of all steps that leaves.
void leavePaddingOut(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice);
// How many vectors of `choice.rowLoad` so many rows of the tile load per step.
[[nodiscard]] double rowLoads(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t rows);

// Whether a copy of all the steps of a block, for `width` outputs, may be made: it must fit into a work item's memory, and beside
// the other data into the core's own cache.
[[nodiscard]] bool fitsPacked(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes);

// How much more the tiles compute than there is in a short run, where an axis ends at a value of the run: a tile of 96 columns
// does half as many again as there are when there are 64. The price is for the largest extents and does not have it.
[[nodiscard]] double computedPastEnds(const NestPlan &plan, const TileChoice &choice);

// Cycles of the whole kernel with the tile; notes in `choice` what must be packed.
[[nodiscard]] double tileCycles(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice);

// Whether the lines that all columns of a row of tiles write to fall on so few sets of the first level that they are lost before
// the next rows write on in them.
[[nodiscard]] bool losesStoredLines(const NestPlan &plan, const TileChoice &choice);

// Cycles with partial results in the lanes along the last axis of every reduction, if the loads run along it. What all rows that
// are done together read alike is loaded once for them.
[[nodiscard]] std::optional<double> lanesOfReductionCycles(const NestPlan &plan, const ContractionFacts &facts,
                                                           std::span<const RowsTogether> together);

// The cycles that the model gives the register tile of a nest, in all of the kernel and with one thread. plain: the nest before
// anything was chosen, and one that the model chooses tiles for. The copies are those that the model would make for the tile.
// Nothing: the nest is no contraction, or has a tile that the model does not know (of three axes, say, or of none).
[[nodiscard]] std::optional<double> contractionCycles(const Schedule &schedule, const LoopNest &plain, const LoopNest &made,
                                                      const PassContext &context);

} // namespace sw
