#pragma once
// How a value differs from what it was before.

#include "engine/api/tensor_view.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace sw {

struct TensorChange {
    std::int64_t changed = 0;       // elements with other bits
    double largest = 0;             // the largest distance of two finite numbers
    std::int64_t notComparable = 0; // changed elements where only one of the two is finite
    std::optional<std::int64_t> at; // where the largest distance is
};

// Nothing: the two have other types or shapes, or it was stopped.
[[nodiscard]] std::optional<TensorChange> changeOf(const TensorView &before, const TensorView &after,
                                                   const std::stop_token &stop);

} // namespace sw
