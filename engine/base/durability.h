#pragma once
// How safe a written file is when the call returns.

#include <cstdint>

namespace sw {

// Cached: the system has the bytes, so that the program may end. Synced: they are on the disk before the file takes its name, so
// that not even a power failure leaves half of it. For what cannot be made again.
enum class Durability : std::uint8_t { Cached, Synced };

} // namespace sw
