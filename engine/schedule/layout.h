#pragma once
// How a buffer's elements lie in memory: row-major, at the place that the planner chose.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace sw {

struct BufferLayout {
    std::vector<std::int64_t> strides;       // elements, by axis
    std::vector<std::size_t> contiguousAxes; // axes along which neighbours are also neighbours in memory
    std::int64_t alignment = 1;              // bytes: the largest power of two, at most a page, that divides the buffer's place
    std::int64_t vectorWidth = 1;            // elements that the device can access at once without crossing the end of a row
};

[[nodiscard]] BufferLayout layoutOf(const Schedule &schedule, const ScheduledBuffer &buffer);

// Whether it holds something from before the run that the run needs: a given value, initial zeros, what the load phase computed.
// It must be there whenever a run starts, so no other buffer may take its place.
[[nodiscard]] bool isHeld(const Schedule &schedule, const ScheduledBuffer &buffer);

} // namespace sw
