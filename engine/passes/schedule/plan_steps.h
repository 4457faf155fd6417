#pragma once
// The last part of scheduling, when the kernels and the transfers between devices are known. It finds what comes before and after
// them, what waits for what, how long every buffer lives and where it lies in its device's arena.

#include "engine/schedule/schedule.h"

namespace sw {

// The kernels one after the other.
[[nodiscard]] std::vector<ScheduleItem> launchesOf(const Schedule &schedule);

// steps: the items of the run, and those of the load phase but the loads of placeholders and constants, in an order that computes
// the right values. Fills in the rest of the schedule: its items (given values are uploaded first, a barrier ends the run,
// outputs are downloaded), lifetimes, places, dependencies and the critical path. repeats: of the items in `steps`. Error: the
// buffers are larger than any memory.
[[nodiscard]] Result<Done> planSteps(Schedule &schedule, std::vector<ScheduleItem> steps, const RooflineFigures &figures,
                                     std::vector<RepeatedItems> repeats = {});

} // namespace sw
