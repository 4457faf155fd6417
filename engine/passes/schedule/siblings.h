#pragma once
// Kernels that do not read each other may still belong together: results of one shape that read the same values, such as the mean
// and the maximum of a matrix, are computed over the same loops.

#include "engine/passes/schedule/grouping.h"

namespace sw {

// The grouping with such kernels merged. A merged kernel has the later root; the other root is one more result, which the
// root does not read.
[[nodiscard]] Grouping withSiblingsMerged(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping);

} // namespace sw
