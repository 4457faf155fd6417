#pragma once
// Programs whose sizes are known only when they run: finds their dimensions, and fits values of the real shapes into buffers of
// the largest shapes.

#include "engine/graph/graph.h"
#include "engine/passes/schedule/needed_extents.h"
#include "engine/schedule/schedule.h"

#include <span>
#include <vector>

namespace sw {

// The shape of a given value, with the index of its placeholder.
struct GivenShape {
    std::size_t placeholder = 0;
    Shape shape;
};

// The shapes of such values; values: one for each placeholder that is not a dimension.
[[nodiscard]] std::vector<GivenShape> givenShapesOf(const Graph &graph, std::span<const HostTensor> values);

// The dimensions of a graph, before or after pad-dimensions: the wanted values, or those that the shapes given for placeholders
// imply, or those that the program binds, or else the largest. Errors: shapes that contradict each other, the declared shapes or
// the wanted values; a wanted dimension that the program does not have, or whose value is out of its bounds.
[[nodiscard]] Result<SymbolicBindings> dimensionsOf(const Graph &graph, std::span<const GivenShape> given,
                                                    const SymbolicBindings &wanted);

// The shape of a placeholder's value in a run.
[[nodiscard]] Shape givenShapeOf(const Node &placeholder, const SymbolicBindings &bindings);

// The values of all the padded graph's placeholders, in their order: the given values padded with zeros, and the dimensions
// themselves. values: one for each placeholder that is not a dimension.
[[nodiscard]] Result<std::vector<HostTensor>> paddedValues(const Graph &padded, std::span<const HostTensor> values,
                                                           const SymbolicBindings &bindings);

// The part of a value of the padded graph that a run with these dimensions computes: the first elements along every axis.
// Kernels may leave anything in what lies beyond. The whole shape when the graph has no dimensions.
[[nodiscard]] Shape neededShapeOf(const Graph &padded, const NeededExtents &needed, NodeId node,
                                  const SymbolicBindings &bindings);

// By buffer: how many bytes from its begin on hold all that a run with these dimensions is given for it or computes in it.
[[nodiscard]] std::vector<std::int64_t> usedBytesOf(const Schedule &schedule, const SymbolicBindings &bindings);

} // namespace sw
