#pragma once
// The convolution that a node's attributes describe, for every operator that has one.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// input [N, C, spatial...], weights [O, C / groups, kernel...], both in the type that is summed in. Uses the attributes strides,
// dilations, pads, auto_pad and group.
[[nodiscard]] Result<NodeId> convolution(NodeCall &call, NodeId input, NodeId weights);

} // namespace sw::onnx
