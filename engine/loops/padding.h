#pragma once
// Padding an axis: it counts on to a multiple of a number, so that tiles of that number divide it. What the indices that do not
// exist would load is not loaded but 0, and they store nothing.

#include "engine/loops/loop_nest.h"

#include <functional>
#include <optional>
#include <string>

namespace sw {

// Why the leaf cannot be padded; nothing when it can.
[[nodiscard]] std::optional<std::string> padProblemOf(const LoopNest &nest, AxisId leaf, std::int64_t multiple);
// Replaces the axis i by a new one, "i.p".
void padAxis(LoopNest &nest, AxisId leaf, std::int64_t multiple);

// Whether the steps of the reduction along its padded axes that do not exist add nothing as they are: the reduction adds up
// products, and both factors are loads that give 0 there.
[[nodiscard]] bool isNothingBehind(const LoopNest &nest, const Reduction &reduction, AxisId padded);

// Replaces each axis in all indices and conditions of the nest.
void substituteAxes(LoopNest &nest, const std::function<ExprId(AxisId)> &replacement);

} // namespace sw
