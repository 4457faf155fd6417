#pragma once
// Rows of the domain that are reduced at the same time, with partial results in the lanes of vectors along the reduction.

#include "engine/passes/loops/nest_plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// So many indices of an axis of the domain: neighbours if they are all, else a part of the axis away from each other.
struct RowsTogether {
    AxisId axis;
    std::int64_t count = 1;
};

struct RowTile {
    std::vector<RowsTogether> rows; // the last one may be a part of its axis
    bool isFromMemory = false;      // the caches do not hold what they read
    bool isAlike = false;           // several of them read the same of it
};

// Axes of the domain that the load does not move with, and of which there are so few rows that all of them may be done together;
// no axes: there are none, or too many.
[[nodiscard]] std::vector<AxisId> axesAlike(const NestPlan &plan, const NestAccess &load);

// nullopt: one row is as good as several, or they cannot be divided.
[[nodiscard]] std::optional<RowTile> rowsTogether(const NestPlan &plan);
// Repeats them in registers: the steps of their reduction are innermost.
void takeTogether(NestPlan &plan, const RowTile &tile);

[[nodiscard]] std::int64_t productOf(std::span<const RowsTogether> rows);
// Partial results are kept in so many vectors side by side, of so many lanes along the axis: those of all rows stay in registers,
// also where several reductions have some in the same loops.
[[nodiscard]] std::int64_t partialVectors(const NestPlan &plan, std::span<const RowsTogether> rows, std::int64_t reductions = 1);
[[nodiscard]] std::int64_t partialLanes(const NestPlan &plan, AxisId axis);

} // namespace sw
