#pragma once
// What a reduction does with the result of another one at each step, as far as there is a rule to carry both along: see join.h.

#include "engine/loops/loop_nest.h"

#include <optional>

namespace sw {

// How the second of two reductions goes on in the loops of the first, and its body there.
struct JoinMatch {
    Joined joined = {};
    ValueId body = {};
};

// Of reductions that have the same steps, and whose bodies name one axis of them alike. Nothing: there is no rule.
[[nodiscard]] std::optional<JoinMatch> joinMatchOf(const LoopNest &nest, ReductionId leader, ReductionId follower);

} // namespace sw
