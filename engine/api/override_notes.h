#pragma once
// What a person has to know of the overrides of a compilation.

#include "engine/passes/overrides.h"
#include "engine/schedule/schedule.h"

namespace sw {

// A warning for each override that is refused or names an unknown value, at its line.
[[nodiscard]] Diagnostics overrideNotes(const Overrides &overrides, const Schedule &schedule);

} // namespace sw
