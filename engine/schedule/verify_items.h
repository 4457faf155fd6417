#pragma once
// The rules for the items of a schedule and for the memory that they use. Part of verifySchedule.

#include "engine/schedule/schedule.h"

namespace sw {

// Checks that ids are in range, so that the other checks can follow them.
[[nodiscard]] Diagnostics verifyItemTables(const Schedule &schedule);
[[nodiscard]] Diagnostics verifyItems(const Schedule &schedule);
[[nodiscard]] Diagnostics verifyMemory(const Schedule &schedule);

} // namespace sw
