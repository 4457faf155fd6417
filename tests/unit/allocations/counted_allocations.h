#pragma once
// Counts what this program asks of operator new, in all of its threads. counted_allocations.cpp replaces the operators of the
// whole program, which is why only a test program of its own may have it.

#include <cstdint>

namespace sw::test {

struct Allocations {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;

    bool operator==(const Allocations &) const = default;
    friend Allocations operator-(const Allocations &later, const Allocations &earlier)
    {
        return {later.calls - earlier.calls, later.bytes - earlier.bytes};
    }
};

// Since the program began.
[[nodiscard]] Allocations allocationsSoFar();

} // namespace sw::test
