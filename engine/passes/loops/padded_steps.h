#pragma once
// The steps of a sum of products that read padding: a zero of the padded value, times a weight. They add nothing, if the weight
// is finite, and only of a constant that is known before a run: 0 x inf is NaN.

#include "engine/loops/loop_nest.h"

#include <utility>
#include <vector>

namespace sw {

// A coordinate in the padded value, as a sum over axes that are no part of a split. What lies below `low`, or at `high` and
// above, is padding.
struct PaddedCoordinate {
    std::vector<std::pair<std::int64_t, AxisId>> terms; // (factor, axis)
    std::int64_t constant = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
    AxisId reduced;           // the only axis of the reduction among the terms
    AxisId domain;            // the only other axis
    ValueId load;             // what reads the padded value
    bool addsNothing = false; // a step outside of the bounds: the other factor is known to be finite
};

// The coordinates of the padded value that the sum multiplies, along the axes that are padded. Where steps that add nothing are
// left out, a sum of products that all underflow may be a zero of another sign.
[[nodiscard]] std::vector<PaddedCoordinate> paddedCoordinates(const Schedule &schedule, const LoopNest &nest,
                                                              ReductionId reduction);

} // namespace sw
