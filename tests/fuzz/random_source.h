#pragma once
// Random numbers that are the same on every machine: splitmix64.

#include "engine/base/assert.h"

#include <cstdint>
#include <vector>

namespace sw {

class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : m_state(seed) {}

    [[nodiscard]] std::uint64_t bits()
    {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }
    // Uniform in [first, last].
    [[nodiscard]] std::int64_t between(std::int64_t first, std::int64_t last)
    {
        const auto count = static_cast<std::uint64_t>(last - first) + 1;
        return first + static_cast<std::int64_t>(bits() % count);
    }
    [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
    [[nodiscard]] bool chance(std::uint32_t percent) { return bits() % 100 < percent; }
    // Uniform in [0, 1).
    [[nodiscard]] double fraction() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

    template <class Range>
    [[nodiscard]] auto pick(const Range &range)
    {
        SW_ASSERT(std::size(range) > 0, "something to choose from");
        return range[below(std::size(range))];
    }

private:
    std::uint64_t m_state;
};

} // namespace sw
