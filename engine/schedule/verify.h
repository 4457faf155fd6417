#pragma once
// The rules that every schedule obeys.

#include "engine/schedule/schedule.h"

namespace sw {

// Kernels: every computed node that an output needs is a member of exactly one kernel, roots and results are members, and kernels
// read only from buffers. Items: each runs after the items whose results it reads, in an order without cycles. Buffers: every
// output has one, lifetimes cover all uses, and intermediates that are live at the same time do not overlap in the arena.
// Everything has an origin in the program. All broken rules are reported.
[[nodiscard]] Result<Done> verifySchedule(const Schedule &schedule);

} // namespace sw
