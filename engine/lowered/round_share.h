#pragma once
// In how many rounds of the loops around it a condition holds that compares what they count.

#include "engine/lowered/lowered.h"

#include <cstdint>
#include <optional>
#include <span>

namespace sw {

struct OpenLoop {
    InstructionId counter; // Range or Unroll
    std::int64_t rounds = 0;
};

// The part of the rounds of the open loops, and of the work items, for which all conditions hold: comparisons of sums of counters
// with sums of counters, and what `and` makes of them. Nothing: one is about something else, or there are too many rounds to go
// through.
[[nodiscard]] std::optional<double> shareOfRounds(const LoweredKernel &kernel, std::span<const OpenLoop> open,
                                                  std::span<const InstructionId> conditions);

} // namespace sw
