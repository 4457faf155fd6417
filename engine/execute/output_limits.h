#pragma once
// How far apart the results of two devices may be: a limit for each element of each output, from the errors that its own
// computation can make (engine/accuracy).

#include "engine/graph/graph.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct OutputLimits {
    std::vector<HostTensor> limits; // f64, by output; infinite: a rounding may change the element completely
    std::string missing;            // why there are no limits; empty: there are limits
};

// Each of two devices may be off by the guaranteed bound, so their results may differ by twice that. Deep in a network that bound
// is far above the real errors, so no element may be off by more than 16 times the typical error. (16 covers a sum of 256 errors
// that all point the same way.)
inline constexpr double kTypicalErrors = 16;

// By element: so many guaranteed bounds, but no more than kTypicalErrors typical errors.
[[nodiscard]] HostTensor errorLimits(const HostTensor &guaranteed, const HostTensor &typical, double guaranteedErrors);

// The bounds use values of the reference interpreter, which computes every node one element at a time. Programs that would
// exceed this time or memory get no limits.
struct LimitBudget {
    double operations = 1e8; // takes some seconds
    double bytes = 2e9;
};

// graph: the program before any pass. values: one per placeholder that is not a dimension, as for Executor.
[[nodiscard]] OutputLimits outputLimitsOf(const GraphPtr &graph, std::span<const HostTensor> values,
                                          const SymbolicBindings &wanted, const std::stop_token &stop,
                                          const LimitBudget &budget = {});

} // namespace sw
