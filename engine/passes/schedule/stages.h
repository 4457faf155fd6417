#pragma once
// Kernels in stages: where a value is computed and read along the same rows, but by loops that cannot be one nest (a matrix
// product and a softmax of its rows), both kernels become stages of one. The value then never leaves the core: a work item
// computes a block of rows of it, and what reads it goes on with that block. This is what Halide and TVM call to compute a
// producer at a loop of its consumer.

#include "engine/passes/schedule/grouping.h"

namespace sw {

// Merges groups that hand values on along rows, where that saves more traffic than it costs, or an override asks for it.
[[nodiscard]] Grouping withStagesMerged(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping);

} // namespace sw
