#pragma once
// How long the steps of a schedule take on the devices that they run on: by the figures of each device instead of those that the
// schedule's text is made with.

#include "engine/schedule/dependencies.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// A transfer between two devices is as fast as the slower of them copies; synchronisation and callbacks take nothing.
[[nodiscard]] std::int64_t estimatedNanoseconds(const Schedule &schedule, const ScheduleItem &item,
                                                std::span<const DeviceFigures> figures);

struct StepEstimates {
    std::vector<DeviceFigures> figures; // by slot
    std::vector<std::int64_t> items;    // nanoseconds
    std::vector<std::int64_t> kernels;  // nanoseconds, by KernelId
    CriticalPath path;
};
// figures: by slot of the schedule; of slots beyond them, the assumed ones.
[[nodiscard]] StepEstimates estimateSteps(const Schedule &schedule, std::span<const DeviceFigures> figures);

} // namespace sw
