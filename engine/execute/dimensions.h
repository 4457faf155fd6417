#pragma once
// Programs whose sizes are known only when they run: what the dimensions are, and how values of the real shapes meet buffers of
// the largest ones.

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace sw {

// A value that is given, by the index of its placeholder.
struct GivenShape {
    std::size_t placeholder = 0;
    Shape shape;
};

// The dimensions of a graph, before or after pad-dimensions: as wanted, or as the shapes say that are given for placeholders, or
// as the program binds them, or else the largest. Errors: shapes that contradict each other, the declared ones or what is wanted;
// a wanted dimension that the program does not have, or with a value out of its bounds.
[[nodiscard]] Result<SymbolicBindings> dimensionsOf(const Graph &graph, std::span<const GivenShape> given,
                                                    const SymbolicBindings &wanted);

// The shape that a placeholder's value has in a run.
[[nodiscard]] Shape givenShapeOf(const Node &placeholder, const SymbolicBindings &bindings);

// What the padded graph's placeholders hold, in their order, for the values of those that are no dimensions: padded with zeros,
// and the dimensions themselves.
[[nodiscard]] Result<std::vector<HostTensor>> paddedValues(const Graph &padded, std::span<const HostTensor> values,
                                                           const SymbolicBindings &bindings);

// The first elements along every axis.
[[nodiscard]] HostTensor cropped(const HostTensor &value, const Shape &shape);

} // namespace sw
