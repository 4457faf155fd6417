#pragma once
// How a view with positive strides lies in its input, for the way back. Most often each of its axes runs along one axis of the
// input (the rows of windows and the rows within a window both along the height, say), and the input's axes can be treated one by
// one. Otherwise the input counts as one long axis.

#include "engine/types/shape.h"

#include <cstdint>
#include <vector>

namespace sw {

struct LaidAxis {
    std::size_t axis = 0; // of the view
    std::int64_t extent = 1;
    std::int64_t stride = 1; // along the axis of the input, above 0
};

// An axis of the input: its element offset + sum(index * stride) is read.
struct ViewTarget {
    std::int64_t extent = 1;
    std::int64_t offset = 0;
    std::vector<LaidAxis> axes; // in the order in which to lay them, see gradients_view.cpp
};

// Targets in the order of the input's axes; those of extent 1 are left out. `axes` have strides in the flat input.
[[nodiscard]] std::vector<ViewTarget> viewTargets(const Shape &input, std::int64_t offset, const std::vector<LaidAxis> &axes);

} // namespace sw
