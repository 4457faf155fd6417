#pragma once
// The spread of repeated measurements.

#include <chrono>
#include <span>

namespace sw {

struct Timing {
    std::chrono::nanoseconds median{0};
    std::chrono::nanoseconds min{0};
    std::chrono::nanoseconds max{0};
};

// At least one sample (asserts). With an even number of samples, the median is the lower middle one: a time that was measured.
[[nodiscard]] Timing timingOf(std::span<const std::chrono::nanoseconds> samples);

} // namespace sw
