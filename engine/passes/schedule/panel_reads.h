#pragma once
// The matrices that a program has before it runs, and whose panels a register tile would read.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"
#include "engine/types/panels.h"

#include <vector>

namespace sw {

// A constant or parameter that one reduction of products alone reads, through views: step by step along the reduction, and side
// by side, whole vectors of rows, along another axis, for which the other factor is the same or side by side in memory, too.
struct PanelRead {
    NodeId matrix;
    NodeId reduction;
    Panels panels;
};

// By matrix. Of f32 and f64, and of what is cast to them from a narrower type that no tensor instruction of the device
// multiplies: the panels of those are made by kernels. Of a narrow type that one multiplies, where a product can be had by it: in
// the order of its tiles. Matrices of few steps, or whose elements a run reads few times, are left out: a copy would cost about
// as much as it saves.
// instructions: the rows of the table of tensor instructions that the kernels may use.
[[nodiscard]] std::vector<PanelRead> panelReadsOf(const Graph &graph, const DeviceInfo &device, std::uint32_t instructions);

} // namespace sw
