#pragma once
// Plans the arena of a device: values that are not live at the same time share memory.

#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

// One buffer and its lifetime: from the first item that uses it to the last one, both included.
struct ArenaRequest {
    std::int64_t bytes = 0;
    std::uint32_t firstItem = 0;
    std::uint32_t lastItem = 0;
    bool isHeld = false; // the whole time: held buffers lie at the bottom, in their order
};

struct ArenaPlan {
    std::vector<std::int64_t> offsets; // by request; multiples of the alignment
    std::int64_t bytes = 0;
};

// Places the requests one after another, each into the smallest gap that it fits between those with overlapping lifetimes. It
// tries three orders (the largest first, the most bytes for the longest time first, by first use) and keeps the smallest arena.
// For more than 1024 requests it tries only the last order, which takes n log n. Every request takes at least one unit of the
// alignment, so that an empty tensor has a place of its own.
[[nodiscard]] ArenaPlan planArena(std::span<const ArenaRequest> requests, std::int64_t alignment);

// The most bytes of the device's buffers that are live at once. Parts of other buffers take no bytes of their own.
[[nodiscard]] std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, DeviceSlot device, std::size_t items);

} // namespace sw
