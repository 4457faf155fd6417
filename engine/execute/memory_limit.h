#pragma once
// Whether a program fits this machine. Memory is promised long before it is there: who takes more than the machine has is not
// refused, but killed later, so it is counted beforehand.

#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// The machine's memory, or what a control group leaves this process of it.
[[nodiscard]] std::int64_t memoryBytes();

// Errors (code Limit) name the largest tensor and its place. The inputs and outputs, which the host and the device both hold.
[[nodiscard]] Result<Done> checkInputsFit(const Graph &graph, std::int64_t memory);
// The arenas of the devices that share the host's memory (GPUs have their own), with the tensors of the host.
[[nodiscard]] Result<Done> checkBuffersFit(const Schedule &schedule, std::span<const DeviceSlot> sharing, std::int64_t memory);

} // namespace sw
