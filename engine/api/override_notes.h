#pragma once
// What a person should know about the overrides of a compilation.

#include "engine/api/report.h"
#include "engine/passes/overrides.h"
#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// A warning for each override that is refused or names an unknown value, at its line.
[[nodiscard]] Diagnostics overrideNotes(const Overrides &overrides, std::span<const OverrideOutcome> outcomes);
// The outcomes of the overrides, with those of the loops once there are any (loops: else null).
[[nodiscard]] std::span<const OverrideOutcome> outcomesOf(const Schedule &schedule, const LoopProgram *loops);

// What became of each override, and where. They may not be decided yet.
[[nodiscard]] std::vector<OverrideEntry> overrideEntries(const Overrides &overrides, const Schedule &schedule,
                                                         const LoopProgram *loops);

} // namespace sw
