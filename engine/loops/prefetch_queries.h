#pragma once
// What a prefetch asks for: the cache line of what a load will read some rounds of a loop later.

#include "engine/loops/loop_nest.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sw {

// From what the load reads to what it reads `ahead` rounds later, in elements of the buffer. Nothing when the distance is not the
// same at every point, or 0.
[[nodiscard]] std::optional<std::int64_t> prefetchDistance(const LoopNest &nest, const Prefetch &prefetch);

// Why the nest cannot have the prefetch; nothing when it can.
[[nodiscard]] std::optional<std::string> prefetchProblemOf(const LoopNest &nest, const Prefetch &prefetch);

} // namespace sw
