#pragma once
// The caches of this machine's processor, as Linux tells.

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

struct CacheLevel {
    std::string name; // "L1"
    std::int64_t bytes = 0;
    std::uint32_t sharedBy = 1; // processors
    std::uint32_t ways = 0;     // lines in a set; 0: not told
    bool operator==(const CacheLevel &) const = default;
};

inline constexpr const char *kCacheFolder = "/sys/devices/system/cpu/cpu0/cache";

// Of the first processor: data caches of which the size is told, the nearest first. folder: one like kCacheFolder.
[[nodiscard]] std::vector<CacheLevel> cacheLevels(const std::string &folder);

} // namespace sw
