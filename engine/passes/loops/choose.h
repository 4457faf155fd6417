#pragma once
// The heuristic's kinds of kernel, for a CPU, and what it does for a GPU. Each transforms the plan's nest.

#include "engine/passes/loops/nest_plan.h"

namespace sw {

void chooseForMap(NestPlan &plan);         // no reductions
void chooseForRows(NestPlan &plan);        // reductions along rows, then a loop over each row
void chooseForContraction(NestPlan &plan); // one reduction result per point of the domain
void chooseForGpu(NestPlan &plan);
// Products of tiles, where narrow elements are multiplied and added up as wider ones: with tiles of its own on a GPU (false: the
// nest is not of that kind), and within the tiles that were chosen before.
bool chooseTilesForGpu(NestPlan &plan);
void tensorizeNarrowProducts(NestPlan &plan);
// Loops whose body the program asks to be written out, after everything else.
void unrollAsAsked(NestPlan &plan);

// The domain axes that some reduction depends on, in their order: what is reduced is computed once for each of their points.
[[nodiscard]] std::vector<AxisId> rowAxes(const NestPlan &plan);
// Puts the loops over them outside; the other axes of the domain.
std::vector<AxisId> rowsOutside(NestPlan &plan, const std::vector<AxisId> &rows, const std::string &reason);

// The last domain axes as vectors and the outermost loop as work items: what maps do, and rows after their reductions.
void vectorizeDomain(NestPlan &plan, AxisId vectorAxis, std::int64_t repeats);

// How many vectors a loop does side by side, for a body of so many operations that does `total` in all: small ones more, so that
// the loop itself costs little beside them and sums do not wait for each other. Every repeat is code to compile.
[[nodiscard]] std::int64_t vectorRepeats(std::int64_t operations, std::int64_t total);

// Marks stores whose buffers are larger than the caches, as far as they are written in whole aligned vectors.
void streamLargeStores(NestPlan &plan);

} // namespace sw
