#pragma once
// How long the steps of a schedule take on their devices, estimated with the figures of each device instead of those in the
// schedule's text.

#include "engine/schedule/dependencies.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// A transfer between two devices is as fast as the slower one copies; synchronisation and callbacks take no time.
[[nodiscard]] std::int64_t estimatedNanoseconds(const Schedule &schedule, const ScheduleItem &item,
                                                std::span<const DeviceFigures> figures);

// The same for an item of the schedule, with all steps of an item that is repeated.
[[nodiscard]] std::int64_t estimatedNanoseconds(const Schedule &schedule, std::uint32_t item,
                                                std::span<const DeviceFigures> figures);

struct StepEstimates {
    std::vector<DeviceFigures> figures; // by slot
    std::vector<std::int64_t> items;    // nanoseconds
    std::vector<std::int64_t> kernels;  // nanoseconds, by KernelId
    CriticalPath path;
};
// figures: by slot of the schedule; slots beyond the list use the assumed figures.
[[nodiscard]] StepEstimates estimateSteps(const Schedule &schedule, std::span<const DeviceFigures> figures);

} // namespace sw
