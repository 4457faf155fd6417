#pragma once
// Which values are the same for all work items of a group.

#include "engine/lowered/lowered.h"

#include <vector>

namespace sw {

// By instruction; false for what makes no value, and where it cannot be told: accumulators, and what is loaded from memory that
// the kernel writes. In groups of one item, every value is.
[[nodiscard]] std::vector<bool> uniformValues(const LoweredKernel &kernel);

} // namespace sw
