#pragma once
// What a person has to know of the overrides of a compilation.

#include "engine/passes/overrides.h"
#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// A warning for each override that is refused or names an unknown value, at its line.
[[nodiscard]] Diagnostics overrideNotes(const Overrides &overrides, std::span<const OverrideOutcome> outcomes);
// What is known of the overrides: with that of the loops, once there are any (else null).
[[nodiscard]] std::span<const OverrideOutcome> outcomesOf(const Schedule &schedule, const LoopProgram *loops);

} // namespace sw
