#pragma once
// Turns kernel groups into a schedule: order, buffers, lifetimes, dependencies, estimates, critical path.

#include "engine/passes/schedule/grouping.h"

namespace sw {

[[nodiscard]] Schedule assembleSchedule(const GraphPtr &graph, const Dataflow &flow, Grouping grouping);

// What the cost model takes a kernel to last: it is bound by memory (10 GB/s) or by arithmetic (50 GFLOP/s).
[[nodiscard]] double estimatedNanoseconds(const KernelEstimate &estimate);

} // namespace sw
