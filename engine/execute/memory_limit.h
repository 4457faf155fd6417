#pragma once
// Checks that a program fits into this machine. The system grants memory long before providing it: a program that takes too much
// is not refused but killed later, so we count beforehand.

#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// The machine's memory, or the control group's limit for this process if that is lower.
[[nodiscard]] std::int64_t memoryBytes();

// Checks the inputs and outputs, which host and device both hold. Errors (code Limit) name the largest tensor and its place.
[[nodiscard]] Result<Done> checkInputsFit(const Graph &graph, std::int64_t memory);
// Checks the arenas of the devices that share the host's memory (GPUs have their own), plus the host's tensors.
[[nodiscard]] Result<Done> checkBuffersFit(const Schedule &schedule, std::span<const DeviceSlot> sharing, std::int64_t memory);

} // namespace sw
