#pragma once
// What a person should know about the overrides of a compilation.

#include "engine/api/compilation.h"
#include "engine/api/report.h"
#include "engine/passes/overrides.h"
#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// A warning for each override that is refused or names an unknown value, at its line. Those of code have their own notes.
[[nodiscard]] Diagnostics overrideNotes(const Overrides &overrides, std::span<const OverrideOutcome> outcomes);
// The outcomes of the overrides, with those of the loops once there are any (loops: else null).
[[nodiscard]] std::span<const OverrideOutcome> outcomesOf(const Schedule &schedule, const LoopProgram *loops);

// The same for texts of kernels. What a compiler says of a line is at that line.
[[nodiscard]] Diagnostics editNotes(const Overrides &overrides, std::span<const KernelEdit> edits);
// With those of the texts of kernels. Empty: they are not used.
[[nodiscard]] std::vector<OverrideOutcome> outcomesOf(const Compilation &compilation);

// What became of each override of a compilation that has a schedule, and where. They may not be decided yet.
[[nodiscard]] std::vector<OverrideEntry> overrideEntries(const Compilation &compilation);

} // namespace sw
