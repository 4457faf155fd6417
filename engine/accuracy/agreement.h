#pragma once
// Whether two values agree: the one rule of every comparison.

#include "engine/types/scalar.h"

namespace sw {

// Floats: NaN agrees with NaN, an infinity with the same infinity, numbers whose difference is at most the limit; -0 agrees with
// +0. All others: the same bits. An infinite limit allows any number, but neither NaN nor an infinity in its place.
[[nodiscard]] bool agrees(const Scalar &expected, const Scalar &actual, double limit);

} // namespace sw
