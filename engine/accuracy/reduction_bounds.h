#pragma once
// The error bounds of a reduction. Its elements may be combined in any order.

#include "engine/accuracy/error_bounds.h"

namespace sw {

struct ReducedInput {
    const HostTensor *value = nullptr;
    const HostTensor *bounds = nullptr; // f64, of the value's shape
    bool mayFuse = false;               // the elements are products that a device may add without rounding
};

// The bounds for a result that the reference computed: f64, of the result's shape.
[[nodiscard]] HostTensor reductionBounds(const Node &node, const HostTensor &result, const ReducedInput &input, ErrorModel model);

} // namespace sw
