#pragma once
// Which reductions of a nest are joined.

#include "engine/passes/loops/nest_plan.h"

namespace sw {

// Putting the means of the lanes together takes as long as some 200 steps.
inline constexpr std::int64_t kFewestStepsInLanes = 512;

// Joins to the first of the nest's reductions those that can go on in its loops: distances from a mean, if there are so many
// steps. With the option strict, none that would be rounded in another way.
void joinReductions(NestPlan &plan, std::int64_t fewestSteps);

} // namespace sw
