#pragma once
// Turns kernel groups into a schedule: order, buffers, estimates; and the steps around them (plan_steps.h).

#include "engine/passes/schedule/grouping.h"

namespace sw {

[[nodiscard]] Result<Schedule> assembleSchedule(const GraphPtr &graph, const PlacedFlow &placed, Grouping grouping,
                                                const PassContext &context);

} // namespace sw
