#pragma once
// What the cache lines that the loads of a contraction touch cost beside the loads themselves: lines that the first level loses
// before they are read again, and what the core's own cache does not hold.

#include "engine/base/cache_line.h"
#include "engine/passes/loops/contraction_price.h"

namespace sw {

// For a line from beyond the core's own cache that is fetched ahead of time, where each step needs another.
inline constexpr double kNextLineCycles = 5;

// nullopt: an earlier stage keeps it in the core's own cache.
[[nodiscard]] std::optional<std::int64_t> bufferBytes(const NestPlan &plan, const NestAccess &load);

// How many steps of the reduction follow each other in memory.
[[nodiscard]] std::int64_t runOf(const NestPlan &plan, const NestAccess &load);

// Whether a step of a reduction goes 1 KiB or further. Where its axes are one row of steps, only the step of the innermost
// counts.
[[nodiscard]] bool hasFarSteps(const NestPlan &plan, const NestAccess &load);

// The part of its vectors that lie across two cache lines, which come from the second level: those of rows that are no whole
// number of vectors long. Vectors that slide along a row from step to step are left out, since a copy would hold each element
// several times.
[[nodiscard]] double partAcrossLines(const NestPlan &plan, const NestAccess &load, std::int64_t lanes);

// Whether each step reads other lines of the cache than all steps before it.
[[nodiscard]] bool readsNewLines(const NestPlan &plan, const NestAccess &load);
// Likewise other vectors, of which a line may hold two.
[[nodiscard]] bool readsNewVectors(const NestPlan &plan, const NestAccess &load);

// Cycles per step for a load of one element per row, if the rows are far apart and each goes on elsewhere after a few steps: by
// the time a line is read again, the first level has lost it.
[[nodiscard]] double farRowCycles(const NestPlan &plan, const ContractionFacts &facts, const NestAccess &load, std::int64_t rows);

// Whether so many lines at such a distance do not stay in the first level of the cache together: they fall on few of its sets.
[[nodiscard]] bool loseEachOther(const DeviceInfo &device, std::int64_t bytesApart, std::int64_t lines);

// What a vector of the load whose rows share vectors takes more, where the rows of the tile are so far apart that the first level
// keeps few of them: rows of 80 pixels with 64 channels of f32 are a multiple of 4096 bytes, and all of them fall on one set of a
// first level whose ways have so many.
[[nodiscard]] double lostRowCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice,
                                   std::int64_t rows);

// Cycles per step for a load of one element per row, if the rows lie side by side in memory and the steps far apart: each step
// has lines of its own, and the first level loses them before the next rows read on in them: there are too many of them, or they
// fall on few of its sets.
[[nodiscard]] double farStepCycles(const NestPlan &plan, const NestAccess &load, std::int64_t rows);

// Whether what moves with the columns, and not with the rows, moves with the axis, too.
[[nodiscard]] bool movesPanels(const NestPlan &plan, const TileChoice &choice, AxisId axis);

// Notes in a tile that is chosen whether a copy is made of what its rows read, if they lie side by side in memory, a few in a
// line, and the steps of the reduction a line or more apart, and how long it waits for their lines, which its cycles leave out.
void noteWaiting(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice);

// Cycles for the lines of what moves with the rows alone, where all of it does not stay in the core's cache: each panel of
// columns reads it again. The processor fetches a few streams ahead by itself; a tile of more rows waits for its lines. Where
// the rows lie side by side, as in panels of constants, each step needs another line, and waits if no cache holds them all.
[[nodiscard]] double rereadCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice,
                                  std::int64_t panels);

// Cycles for the lines of what moves with the rows of tiles, where a loop around them goes through all of it again and the core's
// cache does not hold it: the image, for each channel of a convolution whose vectors go along the columns of the image.
[[nodiscard]] double revisitCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice);

// Cycles for the lines of panels that the core's cache does not hold, where the tiles of columns are no whole panels, nor whole
// parts of one: while one tile is computed, the next is not fetched (`stream`).
[[nodiscard]] double cutPanelCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice);

// Cycles for the lines that windows read again which other windows have read before, where they have left the first level of the
// cache meanwhile. Of tiles without copies.
[[nodiscard]] double windowRereadCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice);

} // namespace sw
