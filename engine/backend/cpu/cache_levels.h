#pragma once
// The caches of this machine's processor, as Linux tells, and what a device says of them.

#include "engine/backend/backend.h"

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

// Gives the device its facts about caches. Where levels are told, but no third one, none is shared; what else is not told stays
// as it is.
void takeCaches(DeviceInfo &device, const std::vector<CacheLevel> &levels);

} // namespace sw
