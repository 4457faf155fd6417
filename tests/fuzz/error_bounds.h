#pragma once
// How far a correct device may be from the reference interpreter, for each element of each output: a running error analysis over
// the values of the reference. What is exact stays exact (bound 0); transcendentals may be 2 ULP from the f64 value, sums may be
// reassociated, products may be fused into sums; all of it is carried through the operations that follow. Where a small
// difference changes the result altogether (a comparison of nearly equal values, the integer part of 2.9999999) the bound is
// infinite.

#include "engine/graph/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

struct BoundedOutputs {
    std::vector<HostTensor> values; // by the reference interpreter
    std::vector<HostTensor> bounds; // f64, of the same shapes; infinite: anything is right
};

[[nodiscard]] Result<BoundedOutputs> interpretWithBounds(const Graph &graph, std::span<const HostTensor> inputs);

struct ComparisonLimits {
    double relative = 0; // allowed besides the bound
    double absolute = 0;
    bool zeroSigns = false; // an exact zero has the expected sign
};

// What is wrong with `actual`, naming the first element; nothing when all are within their bounds. Integers and bools must be
// equal; NaN must meet NaN and an infinity the same infinity, unless the bound is infinite.
[[nodiscard]] std::optional<std::string> firstDifference(const HostTensor &expected, const HostTensor &actual,
                                                         const HostTensor &bounds, const ComparisonLimits &limits = {});

} // namespace sw
