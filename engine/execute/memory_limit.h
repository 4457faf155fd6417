#pragma once
// Whether a program fits this machine. Memory is promised long before it is there: who takes more than the machine has is not
// refused, but killed later, so it is counted beforehand.

#include "engine/schedule/schedule.h"

namespace sw {

// The machine's memory, or what a control group leaves this process of it.
[[nodiscard]] std::int64_t memoryBytes();

// Errors (code Limit) name the largest tensor and its place. The inputs and outputs, which the host and the device both hold.
[[nodiscard]] Result<Done> checkInputsFit(const Graph &graph, std::int64_t memory);
// The buffers of a device that shares the host's memory, with the tensors of the host.
[[nodiscard]] Result<Done> checkBuffersFit(const Schedule &schedule, std::int64_t memory);

} // namespace sw
