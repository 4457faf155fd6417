#pragma once
// Which pages of its memory a process has at hand.

#include "engine/base/assert.h"
#include "engine/base/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <span>
#include <unistd.h>

namespace sw::test {

// How many of the pages that these bytes touch.
inline std::size_t residentPages(std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kIsPresent = std::uint64_t{1} << 63; // see pagemap in Linux' documentation
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    const Descriptor map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    std::size_t found = 0;
    for (std::uintptr_t at = begin / page; at * page < begin + bytes.size(); ++at) {
        std::uint64_t entry = 0;
        const ssize_t got = ::pread(map.get(), &entry, sizeof(entry), static_cast<off_t>(at * sizeof(entry)));
        SW_ASSERT(got == sizeof(entry), "a page of this process");
        found += (entry & kIsPresent) != 0 ? 1 : 0;
    }
    return found;
}

} // namespace sw::test
