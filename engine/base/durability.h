#pragma once
// How safe a written file is when the call returns.

#include <cstdint>

namespace sw {

// Cached: the system has the bytes, so the program may exit. Synced: they are on disk before the file takes its name, so that not
// even a power failure leaves half a file. Synced is for data that cannot be made again.
enum class Durability : std::uint8_t { Cached, Synced };

} // namespace sw
