#pragma once
// What is known about the signs of values while a graph is being rewritten.

#include "engine/graph/builder.h"

namespace sw {

// Whether each element of a float value is +0, positive, infinite without a minus, or NaN, so that -0 is none of them: as after
// max(x, 0), exp(x), abs(x), and what sums, products and movements make of such. False: it is not known.
[[nodiscard]] bool isNonNegative(const GraphBuilder &builder, NodeId id);

} // namespace sw
