#pragma once
// Places in the arena of a device: values that do not live at once share memory.

#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// One buffer: from the first item that uses it to the last one, both included.
struct ArenaRequest {
    std::int64_t bytes = 0;
    std::uint32_t firstItem = 0;
    std::uint32_t lastItem = 0;
    bool isHeld = false; // throughout: these lie at the bottom, in their order
};

struct ArenaPlan {
    std::vector<std::int64_t> offsets; // by request; multiples of the alignment
    std::int64_t bytes = 0;
};

// One after the other, each into the smallest gap that it fits among those whose lifetimes meet its own; the largest first, or
// those that take the most memory for the longest time first, or by their first use: whichever gives the smallest arena. Of more
// than 4096 requests only the last order is tried, which takes n log n. Every request takes at least one unit of the alignment,
// so that an empty tensor has a place of its own.
[[nodiscard]] ArenaPlan planArena(std::span<const ArenaRequest> requests, std::int64_t alignment);

// The most bytes of the device that live at once.
[[nodiscard]] std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, DeviceSlot device, std::size_t items);

} // namespace sw
