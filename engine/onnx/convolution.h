#pragma once
// The convolution that a node's attributes describe, for every operator that has one, and its parts.

#include "engine/onnx/node_call.h"
#include "engine/onnx/windows.h"

namespace sw::onnx {

// input [N, C, spatial...], weights [O, C / groups, kernel...], both in the type that is summed in. Uses the attributes strides,
// dilations, pads, auto_pad and group.
[[nodiscard]] Result<NodeId> convolution(NodeCall &call, NodeId input, NodeId weights);

// The same with the windows and the groups given.
[[nodiscard]] Result<NodeId> convolve(NodeCall &call, NodeId input, NodeId weights, const WindowPlan &plan, std::int64_t groups);

// In the type that is summed in: sums of 16-bit floats are accumulated in f32, and their products are not rounded first.
[[nodiscard]] Result<NodeId> widened(NodeCall &call, NodeId input);

// Adds the node's operand, one number for each channel, if it has it.
[[nodiscard]] Result<NodeId> addBias(NodeCall &call, NodeId sum, std::size_t operand);

// The attribute group, which must divide the channels.
[[nodiscard]] Result<std::int64_t> groupCount(NodeCall &call, std::int64_t channels);

// Input and weights have between one and three spatial axes, and extents that can be multiplied.
[[nodiscard]] Result<Done> checkRanks(const NodeCall &call, const Shape &input, const Shape &weights);

[[nodiscard]] std::vector<std::int64_t> spatialExtents(const Shape &shape);

} // namespace sw::onnx
