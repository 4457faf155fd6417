#pragma once
// The order in which the kernels of a grouping run.

#include "engine/passes/overrides.h"
#include "engine/passes/schedule/grouping.h"

#include <cstdint>
#include <vector>

namespace sw {

// Each group runs after the groups whose results it reads, and as the overrides of order ask; by root where there is still a
// choice. Notes in the grouping what became of these overrides: one that no order can satisfy is refused.
[[nodiscard]] std::vector<std::uint32_t> orderKernels(const Graph &graph, const Dataflow &flow, Grouping &grouping,
                                                      const Overrides &overrides);

} // namespace sw
