#pragma once
// Dividing an axis: it becomes two axes of their own, its quotient by a number and the remainder. Where an index goes over the
// rows of an image with one axis, as `i // 40 * 42 + i % 40` does, it then moves evenly with both. Merging is the way back.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <string>

namespace sw {

// Why the leaf cannot be divided; nothing when it can.
[[nodiscard]] std::optional<std::string> divisionProblemOf(const LoopNest &nest, AxisId leaf, std::int64_t divisor);
// Replaces the axis i by "i.q" and "i.r", with i = divisor * i.q + i.r.
void divideAxis(LoopNest &nest, AxisId leaf, std::int64_t divisor);

// The numbers by which all indices of the nest divide the axis itself, ascending: i // 40 and i % 40. Empty also where an index
// divides a sum that the axis is a part of, for then a loop over its parts would not tell the parts of that sum apart.
[[nodiscard]] std::vector<std::int64_t> divisorsOf(const LoopNest &nest, AxisId axis);

} // namespace sw
