#pragma once
// What the reference interpreter gives for nodes of a graph, and how far off a kernel that computes them may be, for each
// element.

#include "engine/execute/output_limits.h"

namespace sw {

struct ReferenceValues {
    std::vector<HostTensor> values; // by node
    std::vector<HostTensor> limits; // f64, likewise; infinite: none for this element. Empty: there are none
    std::string missing;            // why there are no limits
};

// graph: after the graph passes. values: one per placeholder that is not a dimension, as for Executor. A kernel may be off by the
// guaranteed bound, and by no more than kTypicalErrors times the typical error. What would exceed the budget has no limits.
[[nodiscard]] Result<ReferenceValues> referenceValuesOf(const Graph &graph, std::span<const HostTensor> values,
                                                        const SymbolicBindings &wanted, std::span<const NodeId> nodes,
                                                        const std::stop_token &stop, const LimitBudget &budget = {});

} // namespace sw
