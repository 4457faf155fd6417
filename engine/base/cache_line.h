#pragma once
// The unit in which processors move memory to and from their caches: the same for all that the compiler knows.

#include <cstdint>

namespace sw {

inline constexpr std::int64_t kCacheLineBytes = 64;

} // namespace sw
