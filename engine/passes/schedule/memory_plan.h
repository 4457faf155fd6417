#pragma once
// Lifetimes of buffers, their offsets in the arena of intermediates, and how much lives at once.

#include "engine/schedule/schedule.h"

#include <span>

namespace sw {

inline constexpr std::int64_t kArenaAlignment = 64;

// One intermediate: from the item that writes it to the last one that reads it, both included.
struct ArenaRequest {
    std::int64_t bytes = 0;
    std::uint32_t firstItem = 0;
    std::uint32_t lastItem = 0;
};

struct ArenaPlan {
    std::vector<std::int64_t> offsets; // by request; multiples of kArenaAlignment
    std::int64_t bytes = 0;
};

// Largest first, each into the smallest gap that it fits among those whose lifetimes meet its own.
[[nodiscard]] ArenaPlan planArena(std::span<const ArenaRequest> requests);

// The most bytes that live at once, counting every buffer.
[[nodiscard]] std::int64_t peakBytesOf(std::span<const ScheduledBuffer> buffers, std::size_t items);

} // namespace sw
