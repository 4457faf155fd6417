#pragma once
// Sums that nobody reads: where a `where` takes something else than what a reduction gives, as a causal mask does above the
// diagonal, no step of the reduction need be done.

#include "engine/loops/loop_nest.h"

#include <vector>

namespace sw {

// A comparison of places, as the nest has it, and whether it must hold or must not. That is so where `least` is at most 0, which
// is linear in axes of the domain.
struct NeededCondition {
    ValueId condition;
    bool holds = true;
    IndexArena::Sum least;
};

// The reduction's result is read only where all of these are so; none: it is read everywhere, or what decides it is no comparison
// of places. Also none when a step looks something up: an index out of range is reported wherever it is.
[[nodiscard]] std::vector<NeededCondition> neededWhere(const LoopNest &nest, ReductionId reduction);

} // namespace sw
