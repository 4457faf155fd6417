#pragma once
// The rules that every schedule obeys.

#include "engine/schedule/schedule.h"

namespace sw {

// Kernels: every computed node that an output needs is a member of exactly one, roots and results are members, and what a
// kernel reads is in buffers. Items: each runs after those whose results it reads, in one order without cycles. Buffers: every
// output has one, lifetimes cover all uses, and intermediates that live at once do not overlap in the arena. Everything has an
// origin in the program. All broken rules are reported.
[[nodiscard]] Result<Done> verifySchedule(const Schedule &schedule);

} // namespace sw
