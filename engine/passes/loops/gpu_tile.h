#pragma once
// A tile of sums that a group of work items computes together: what is chosen, and the loops that it takes.

#include "engine/passes/loops/gpu_price.h"
#include "engine/passes/loops/nest_plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

// One axis of the domain along a side of the tile.
struct GpuTilePart {
    AxisId axis;
    std::int64_t extent = 1; // of the tile
};

// The parts of a side, innermost first.
using GpuTileSide = std::vector<GpuTilePart>;

// Axes that one factor moves with and the other does not, innermost first.
struct GpuProductAxes {
    std::vector<AxisId> rows;
    std::vector<AxisId> columns;
    std::vector<AxisId> others; // in their order
};

// What was chosen.
struct GpuTileChoice {
    GpuTile tile;
    GpuTileSide rows;
    GpuTileSide columns;
    std::vector<std::int64_t> block; // by axis of the reduction: steps of a block along it
    GpuPrice price;
};

// Makes the loops of a choice of tiles. The reason has its price.
void makeGpuTile(NestPlan &plan, const GpuProductAxes &axes, const GpuTileChoice &choice, std::string reason);

} // namespace sw
