#pragma once
// Costly values that a kernel computes twice for the same row: a softmax takes its exponentials for the sum, and again for the
// quotient. Where a core's cache has room for a few rows, such a value becomes a stage of its own before the one that reads it.

#include "engine/passes/schedule/grouping.h"

namespace sw {

inline constexpr std::size_t kMaximumStages = 8; // of a kernel: each is a copy of the block's loops

// Makes such values stages of the kernels that compute them; the decisions on them say so. Kernels on a GPU, and those that end
// where the run says, have no stages.
void keepWhatIsComputedAgain(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping &grouping);

} // namespace sw
