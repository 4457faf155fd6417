#pragma once
// How a stepped run uses cache lines of the kernel's buffers.

#include "engine/base/cache_line.h"

#include <cstddef>
#include <cstdint>

namespace sw {

struct LineLimits {
    std::uint64_t steps = 20'000'000; // from the beginning of the run
    // Lines that the cache holds, which is fully associative and lets go the one that was not used for the longest time.
    std::size_t cachedLines = 512;
};

// Only buffers of the program count, not memory inside the kernel; each is assumed to begin at a line.
struct LineCounts {
    std::uint64_t steps = 0; // that were counted
    bool isWhole = false;    // the run has no more
    std::uint64_t reads = 0; // instructions
    std::uint64_t writes = 0;
    std::uint64_t touches = 0; // lines that an access touches, added up
    std::uint64_t lines = 0;   // distinct ones
    std::uint64_t fetches = 0; // touches of a line that was not in the cache
};

} // namespace sw
