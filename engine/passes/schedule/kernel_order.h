#pragma once
// The order in which the kernels of a grouping run.

#include "engine/passes/overrides.h"
#include "engine/passes/schedule/grouping.h"

#include <cstdint>
#include <vector>

namespace sw {

// The scan in each step of which the kernel or transfer with this root runs, or kNoScan.
[[nodiscard]] std::uint32_t repeatOf(const Graph &graph, const Dataflow &flow, NodeId root);

// Each group runs after the groups whose results it reads, and as the overrides of order ask; by root where there is still a
// choice. What runs in each step of a scan stands together. Notes in the grouping what became of these overrides: one that no
// order can satisfy is refused.
[[nodiscard]] std::vector<std::uint32_t> orderKernels(const Graph &graph, const Dataflow &flow, Grouping &grouping,
                                                      const Overrides &overrides);

} // namespace sw
