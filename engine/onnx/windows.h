#pragma once
// Sliding windows over the spatial axes of [batch, channels, spatial...]: the extents by ONNX's rules, and the view that shows
// every window, which convolutions and pools reduce over.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// All lists run over the spatial axes.
struct WindowPlan {
    std::vector<std::int64_t> kernel = {};
    std::vector<std::int64_t> strides = {};
    std::vector<std::int64_t> dilations = {};
    std::vector<std::int64_t> before = {}; // padding
    std::vector<std::int64_t> after = {};
    std::vector<std::int64_t> overhang = {}; // what the last window of ceil_mode needs beyond the padding
    std::vector<std::int64_t> outputs = {};  // number of windows
};

// From the attributes strides, dilations, pads, auto_pad and ceil_mode.
[[nodiscard]] Result<WindowPlan> planWindows(NodeCall &call, std::span<const std::int64_t> spatial,
                                             std::vector<std::int64_t> kernel);

// An attribute with so many numbers of at least `least`; not given: that number each. The numbers are small enough to multiply.
[[nodiscard]] Result<std::vector<std::int64_t>> boundedList(NodeCall &call, std::string_view name, std::size_t count,
                                                            std::int64_t least);

// Pads the spatial axes of input and shows windows. groups 0: [N, C, outputs..., kernel...]. Otherwise, with repeats channels of
// the result per group: [N, groups, repeats, outputs..., C / groups, kernel...].
struct WindowLayout {
    std::int64_t groups = 0;
    std::int64_t repeats = 1;
};
[[nodiscard]] Result<NodeId> showWindows(NodeCall &call, NodeId input, const WindowPlan &plan, const Scalar &fill,
                                         WindowLayout layout);

} // namespace sw::onnx
