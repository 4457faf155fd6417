#pragma once
// Sliding windows over the spatial axes of [batch, channels, spatial...]: the extents by ONNX's rules, and the view of all
// windows that convolutions and pools reduce over.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// Every list has one entry per spatial axis.
struct WindowPlan {
    std::vector<std::int64_t> kernel = {};
    std::vector<std::int64_t> strides = {};
    std::vector<std::int64_t> dilations = {};
    std::vector<std::int64_t> before = {}; // padding
    std::vector<std::int64_t> after = {};
    std::vector<std::int64_t> overhang = {}; // how far the last window of ceil_mode extends beyond the padding
    std::vector<std::int64_t> outputs = {};  // number of windows
};

// Uses the attributes strides, dilations, pads, auto_pad and ceil_mode.
[[nodiscard]] Result<WindowPlan> planWindows(NodeCall &call, std::span<const std::int64_t> spatial,
                                             std::vector<std::int64_t> kernel);

// An attribute of `count` numbers, each at least `least`; if absent, each is `least`. The numbers are small enough to multiply.
[[nodiscard]] Result<std::vector<std::int64_t>> boundedList(NodeCall &call, std::string_view name, std::size_t count,
                                                            std::int64_t least);

// Pads the spatial axes of input and makes a view of its windows. If groups is 0: [N, C, outputs..., kernel...]. Otherwise, with
// `repeats` result channels per group: [N, groups, repeats, outputs..., C / groups, kernel...].
struct WindowLayout {
    std::int64_t groups = 0;
    std::int64_t repeats = 1;
};
[[nodiscard]] Result<NodeId> showWindows(NodeCall &call, NodeId input, const WindowPlan &plan, const Scalar &fill,
                                         WindowLayout layout);

} // namespace sw::onnx
