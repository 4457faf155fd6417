#pragma once
// With AVX2 a vector is two halves of 16 bytes: most instructions that move lanes do so within their halves.

#include <algorithm>
#include <cstdint>

namespace sw {

[[nodiscard]] inline bool areHalves(std::int64_t vectorBytes)
{
    constexpr std::int64_t kBytesOfTwoHalves = 32;
    return vectorBytes == kBytesOfTwoHalves;
}

// The most elements of a transposed tile that are stored at once. Where vectors are halves, a run is no longer than one: a longer
// one takes more to put together than two of them take to store.
[[nodiscard]] inline std::int64_t longestRun(std::int64_t vectorBytes, std::int64_t elementBytes)
{
    constexpr std::int64_t kMostLanes = 64; // of any vector
    return areHalves(vectorBytes) ? std::max<std::int64_t>(vectorBytes / 2 / elementBytes, 1) : kMostLanes;
}

} // namespace sw
