#pragma once
// The spread of repeated measurements.

#include <chrono>
#include <cstddef>
#include <span>

namespace sw {

// low and high: the 95 % confidence interval of the median (see medianBand). With fewer runs than it takes, min and max.
struct Timing {
    std::chrono::nanoseconds median{0};
    std::chrono::nanoseconds min{0};
    std::chrono::nanoseconds max{0};
    std::chrono::nanoseconds low{0};
    std::chrono::nanoseconds high{0};
    std::size_t runs = 0;
};

// At least one sample (asserts). With an even number of samples, the median is the lower middle one: a time that was measured.
[[nodiscard]] Timing timingOf(std::span<const std::chrono::nanoseconds> samples);

} // namespace sw
