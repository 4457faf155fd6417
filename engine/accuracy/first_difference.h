#pragma once
// What is wrong with a device's result, in words.

#include "engine/graph/graph.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sw {

struct ComparisonLimits {
    double relative = 0; // allowed besides the bound
    double absolute = 0;
    bool zeroSigns = false; // an exact zero has the expected sign
};

// The first element that is further off than its bound allows; both have the same type and shape (asserts).
[[nodiscard]] std::optional<std::int64_t> firstDifferenceAt(const HostTensor &expected, const HostTensor &actual,
                                                            const HostTensor &bounds, const ComparisonLimits &limits = {});

// What is wrong with `actual`, naming the first element; nothing when all agree within their bounds (engine/accuracy). Where the
// bound is infinite anything is right.
[[nodiscard]] std::optional<std::string> firstDifference(const HostTensor &expected, const HostTensor &actual,
                                                         const HostTensor &bounds, const ComparisonLimits &limits = {});

} // namespace sw
