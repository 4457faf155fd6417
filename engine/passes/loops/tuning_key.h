#pragma once
// What a measured list of transformations holds for.

#include "engine/backend/backend.h"
#include "engine/loops/loop_nest.h"

#include <string>

namespace sw {

// In 64 hexadecimal digits: what the nest computes and in which loops before any transformation is chosen, without names of the
// program, and the device with its driver, number of threads and caches.
[[nodiscard]] std::string tuningKeyOf(const Schedule &schedule, const LoopNest &nest, const DeviceInfo &device);

// Whether a list of transformations may add up the reductions of the nest in another order than its loops do.
[[nodiscard]] bool mayReassociate(const LoopNest &nest);

} // namespace sw
