#pragma once
// In which order the items of a schedule begin.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sw {

// An order that satisfies the dependencies; nothing: they form a cycle. The items of a repeat follow each other directly. Where
// there is a choice, devices beside the processor (ScheduledDevice::isBeside) have something to do while the processor computes:
// their launches come first, then what brings them data, and last what waits for them. Of equals, the lowest index is first.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> executionOrder(const Schedule &schedule);

} // namespace sw
