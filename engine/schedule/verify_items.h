#pragma once
// The rules for the steps of a schedule and for the memory that they use. Part of verifySchedule.

#include "engine/schedule/schedule.h"

namespace sw {

// Ids in range, so that the other checks may follow them.
[[nodiscard]] Diagnostics verifyItemTables(const Schedule &schedule);
[[nodiscard]] Diagnostics verifyItems(const Schedule &schedule);
[[nodiscard]] Diagnostics verifyMemory(const Schedule &schedule);

} // namespace sw
