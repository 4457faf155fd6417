#pragma once
// Groups the nodes of a graph into kernels.

#include "engine/passes/pass_context.h"

namespace sw {

// Decides which nodes share a kernel, which values live in buffers and where, and in what order the kernels run. Every edge
// between computed nodes gets a decision with the rule that made it. Takes the graph by pointer because the schedule keeps it.
[[nodiscard]] Result<Schedule> groupKernels(const GraphPtr &graph, PassContext &context);

} // namespace sw
