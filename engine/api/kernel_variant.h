#pragma once
// A kernel with fewer of its loop transformations, to compare how it runs.

#include "engine/api/compilation.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// The loops of a kernel before any transformation was chosen; null: they were not chosen here.
[[nodiscard]] const LoopNest *plainNest(const Compilation &compilation, KernelId kernel);

// The device that runs a kernel.
[[nodiscard]] const DeviceInfo &deviceOf(const Compilation &compilation, KernelId kernel);

// The program, lowered with only the first `transforms` transformations of one kernel. Only its schedule and its lowered form are
// made anew. Errors: fewer than belong to every choice, more than there are, or no legal list.
[[nodiscard]] Result<Compilation> withTransforms(const Compilation &compilation, KernelId kernel, std::size_t transforms,
                                                 const std::stop_token &stop);

} // namespace sw
