#pragma once
// Random numbers that are the same everywhere for a seed, unlike those of the standard library's distributions.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sw {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }
    // 0 to count - 1; count: at least 1.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    // True in so many of a hundred cases.
    bool percent(std::size_t chance) { return below(100) < chance; }
    template <class T>
    const T &oneOf(const std::vector<T> &all)
    {
        return all[below(all.size())];
    }
    template <class T>
    void shuffle(std::vector<T> &all)
    {
        for (std::size_t left = all.size(); left > 1; --left)
            std::swap(all[left - 1], all[below(left)]);
    }

private:
    std::uint64_t m_state;
};

} // namespace sw
