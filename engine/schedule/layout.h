#pragma once
// How a buffer's elements lie in memory: row-major, at the place that the planner chose.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace sw {

struct BufferLayout {
    std::vector<std::int64_t> strides;       // elements, by axis
    std::vector<std::size_t> contiguousAxes; // along which neighbours are neighbours in memory
    std::int64_t alignment = 1;              // bytes: the largest power of two, up to a page, that its place is a multiple of
    std::int64_t vectorWidth = 1;            // elements that the device may take at once without crossing the end of a row
};

[[nodiscard]] BufferLayout layoutOf(const Schedule &schedule, const ScheduledBuffer &buffer);

// Given from outside, or zeros from the start: it must be there whenever the run begins anew, and nothing takes its place.
[[nodiscard]] bool isHeld(const Schedule &schedule, const ScheduledBuffer &buffer);

} // namespace sw
