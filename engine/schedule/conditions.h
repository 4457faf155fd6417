#pragma once
// Items that depend on conditions: which runs they are in, and what is in memory then.

#include "engine/base/diagnostic.h"
#include "engine/schedule/schedule.h"

#include <span>
#include <string>

namespace sw {

// Of several items that write a buffer, in each run one does: it chooses between branches. Else the later one overwrites what the
// earlier one wrote.
[[nodiscard]] bool isChoice(const Schedule &schedule, const ScheduleItem &item);

// Whether in each run in which all of the conditions hold at least one of the writers runs, each of which has conditions of its
// own.
[[nodiscard]] bool isAlwaysWritten(std::span<const std::vector<ItemCondition>> writers, std::vector<ItemCondition> conditions);

// "b3 is true and b5 is false"
[[nodiscard]] std::string conditionsText(std::span<const ItemCondition> conditions);

// The rules of conditions: each is one bool, decides about items of the run only, and nothing that runs reads a buffer that no
// item has written in that run. The tables must be right. Errors: InvalidIr.
[[nodiscard]] Diagnostics verifyConditions(const Schedule &schedule);

} // namespace sw
