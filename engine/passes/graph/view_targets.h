#pragma once
// How a view with positive strides lies in its input, for the gradient of the view. Usually each axis of the view runs along one
// axis of the input (for example, the rows of windows and the rows within a window both run along the height), and the axes of
// the input can be handled one by one. Otherwise the input counts as one long axis.

#include "engine/types/shape.h"

#include <cstdint>
#include <vector>

namespace sw {

struct LaidAxis {
    std::size_t axis = 0; // of the view
    std::int64_t extent = 1;
    std::int64_t stride = 1; // along the axis of the input, above 0
};

// An axis of the input. The view reads its element offset + sum(index * stride).
struct ViewTarget {
    std::int64_t extent = 1;
    std::int64_t offset = 0;
    std::vector<LaidAxis> axes; // in the order in which to lay them, see gradients_view.cpp
};

// The targets are in the order of the input's axes, without axes of extent 1. The strides in `axes` are in the flat input.
[[nodiscard]] std::vector<ViewTarget> viewTargets(const Shape &input, std::int64_t offset, const std::vector<LaidAxis> &axes);

} // namespace sw
