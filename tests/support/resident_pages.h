#pragma once
// Which pages of its memory a process has at hand.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <unistd.h>

namespace sw::test {

// How many of the pages that these bytes touch.
inline std::size_t residentPages(std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kIsPresent = std::uint64_t{1} << 63; // see pagemap in Linux' documentation
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    std::ifstream map("/proc/self/pagemap", std::ios::binary);
    std::size_t found = 0;
    for (std::uintptr_t at = begin / page; at * page < begin + bytes.size(); ++at) {
        std::uint64_t entry = 0;
        map.seekg(static_cast<std::streamoff>(at * sizeof(entry)));
        map.read(reinterpret_cast<char *>(&entry), sizeof(entry));
        found += (entry & kIsPresent) != 0 ? 1 : 0;
    }
    return found;
}

} // namespace sw::test
