#pragma once
// Selects parts of a tensor along one axis.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// Elements [begin, end) of the axis.
struct AxisRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
[[nodiscard]] Result<NodeId> shrinkAxis(NodeCall &call, NodeId input, std::size_t axis, AxisRange range);

// Selects the elements at the indices, a flat list of integers of any type, from 0 to the extent.
[[nodiscard]] Result<NodeId> gatherAlong(NodeCall &call, NodeId input, std::size_t axis, NodeId indices);

// Likewise for known indices, in the cheapest way: ranges and repetitions become views.
[[nodiscard]] Result<NodeId> selectAlong(NodeCall &call, NodeId input, std::size_t axis,
                                         const std::vector<std::int64_t> &indices);

} // namespace sw::onnx
