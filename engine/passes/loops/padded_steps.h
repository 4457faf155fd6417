#pragma once
// The steps of a reduction over windows. Neighbouring windows read the same places at different steps. Steps of a sum may read
// padding, whose zeros add nothing. Those of a sum of products add nothing if the weight is finite, and only of a constant that
// is known before a run: 0 x inf is NaN.

#include "engine/loops/loop_nest.h"

#include <optional>
#include <utility>
#include <vector>

namespace sw {

// A coordinate in the value that windows go over, as a sum over axes that are no part of a split. What lies below `low`, or at
// `high` and above, is padding.
struct PaddedCoordinate {
    std::vector<std::pair<std::int64_t, AxisId>> terms; // (factor, axis)
    std::int64_t constant = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
    AxisId reduced;                          // the only axis of the reduction among the terms
    AxisId domain;                           // the only other axis
    ValueId load;                            // what reads the value
    std::optional<RangeCondition> condition; // of the load, where the value is padded as it is read
    bool isOfProducts = false;               // with another factor; else the reduction only looks at the elements
    bool addsNothing = false; // a step outside of the bounds: it adds zero, and another factor is known to be finite
};

// The coordinates that move with one axis of the windows' places and one of their elements, for a sum of products of two loads,
// or a sum, maximum or minimum of one. Where steps that add nothing are left out, a sum of products that all underflow may be a
// zero of another sign.
[[nodiscard]] std::vector<PaddedCoordinate> paddedCoordinates(const Schedule &schedule, const LoopNest &nest,
                                                              ReductionId reduction);

} // namespace sw
