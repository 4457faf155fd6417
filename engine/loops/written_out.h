#pragma once
// How much of a kernel is written out, so that its code grows with it.

#include "engine/loops/loop_nest.h"

#include <cstdint>

namespace sw {

// Elements of the domain that are repeated in registers. The largest number stands for what does not fit into 63 bits.
[[nodiscard]] std::int64_t writtenOutElements(const LoopNest &nest);
// Of the reduction, steps for each of them. Those of a tensor instruction are one of the kernel.
[[nodiscard]] std::int64_t writtenOutSteps(const LoopNest &nest, const Reduction &reduction);

} // namespace sw
