#pragma once
// The loops behind the roofs of a processor: each does one thing as fast as its instructions allow. They are written with the
// instructions themselves, because a compiler would make others of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sw {

enum class Traffic : std::uint8_t { Read, Write, Copy };
[[nodiscard]] std::string_view nameOf(Traffic traffic); // "read", "write", "copy"

// From end to end, or as is fastest where no cache holds the memory: what is only read is read in four runs side by side, since a
// core has only so many lines of each under way, and what is written, also of a copy, goes past the caches. Elsewhere than on x86
// both are one loop.
enum class Passage : std::uint8_t { EndToEnd, BeyondCaches };

// Passes over the memory once, with the widest vectors that the processor has. Copy reads the first half and writes the second.
// Returns a number made of what was read. memory: aligned to 64 bytes, a multiple of 1024 long.
std::uint64_t passOver(std::span<std::byte> memory, Traffic traffic, Passage passage = Passage::EndToEnd);

// One kind of arithmetic.
struct ArithmeticLoop {
    std::string_view name; // "AVX2 FMA"
    std::int64_t operationsPerRound = 0;
    void (*run)(std::int64_t rounds) = nullptr;
};
// Those that this processor has, the slower ones first; elsewhere than on x86, what the compiler makes of plain C++.
[[nodiscard]] std::span<const ArithmeticLoop> arithmeticLoops();

// The tensor instructions that this processor has and this process may use, by the names of their table. A product and its
// addition count as two operations.
[[nodiscard]] std::span<const ArithmeticLoop> tensorLoops();

} // namespace sw
