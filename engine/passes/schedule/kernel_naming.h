#pragma once
// Names of kernels for people, and symbols that are equal for kernels of equal structure.

#include "engine/passes/schedule/grouping.h"
#include "engine/passes/schedule/needed_extents.h"
#include "engine/schedule/schedule.h"

#include <string>

namespace sw {

// Fills in the name and symbol of all kernels of a schedule that is otherwise complete. A name tells the innermost named call
// around all of the kernel's main work ("k3_softmax"), else the operation; of a kernel of the load phase it tells that, and the
// parameter, if it reads only one ("k0_load_w1"). A symbol tells what the kernel computes, over how many elements, and a hash of
// its structure: kernels that differ only in their buffers and in what the program calls them have the same symbol, in this
// program and in every other one.
void nameKernels(const Graph &graph, const PlacedFlow &placed, const NeededExtents &needed, Schedule &schedule);

} // namespace sw
