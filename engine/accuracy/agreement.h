#pragma once
// Whether two values agree: the single rule that every comparison uses.

#include "engine/types/scalar.h"

namespace sw {

// For floats, NaN agrees with NaN, an infinity with the same infinity, and numbers if their difference is at most the limit; -0
// agrees with +0. All other types need the same bits. An infinite limit allows any number, but no NaN or infinity in its place.
[[nodiscard]] bool agrees(const Scalar &expected, const Scalar &actual, double limit);

} // namespace sw
