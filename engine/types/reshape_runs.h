#pragma once
// A reshape, seen run by run: neighbouring axes that have as many elements on both sides. Axes that a reshape leaves as they are
// are runs of their own.

#include "engine/types/shape.h"

#include <cstddef>
#include <utility>

namespace sw {

struct AxisRun {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// The next runs of both shapes with the same number of elements, after the previous runs; empty at the end. Axes of extent 1
// between runs belong to no run. The shapes have as many elements as each other, and at least one.
[[nodiscard]] std::pair<AxisRun, AxisRun> nextRuns(const Shape &a, const Shape &b, AxisRun before, AxisRun beforeOther);

} // namespace sw
