#pragma once
// How far apart the results of two devices may be: for each element of each output, from the errors that its own computation can
// make (engine/accuracy).

#include "engine/graph/graph.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct OutputLimits {
    std::vector<HostTensor> limits; // f64, by output; infinite: a rounding may change the element altogether
    std::string missing;            // why there are no limits; empty: there are
};

// Each of two devices may be off by the guaranteed bound, so two may be twice that apart. Deep in a network that bound is far
// above the errors that occur: no element may be further off than 16 times the typical one. (16 covers a sum of 256 errors that
// all point the same way.)
inline constexpr double kTypicalErrors = 16;

// The bounds come from the values of the reference interpreter, which computes every node, one element after the other. What
// would take longer or more memory than this has no limits.
struct LimitBudget {
    double operations = 1e8; // some seconds
    double bytes = 2e9;
};

// graph: the program before any pass. values: of Graph::placeholders that are no dimensions, as for Executor.
[[nodiscard]] OutputLimits outputLimitsOf(const GraphPtr &graph, std::span<const HostTensor> values,
                                          const SymbolicBindings &wanted, const std::stop_token &stop,
                                          const LimitBudget &budget = {});

} // namespace sw
