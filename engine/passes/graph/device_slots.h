#pragma once
// The devices of a graph's nodes, as slots of the compilation.

#include "engine/graph/placement.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sw {

// Nothing: the compilation is not for a device of this name. kDefaultDevice is slot 0.
[[nodiscard]] std::optional<DeviceSlot> slotNamed(const PassContext &context, std::string_view device);
// Likewise, with an error that names those there are, placed at the node.
[[nodiscard]] Result<DeviceSlot> slotNamed(const PassContext &context, const Graph &graph, const NamedDevice &device);
// What Copy nodes to the slot's device are given.
[[nodiscard]] std::string nameOfSlot(const PassContext &context, DeviceSlot slot);

// By node: where it is. What is computed from constant scalars alone is where it is read, or, if that is not one device, at home.
[[nodiscard]] Result<std::vector<DeviceSlot>> slotsOf(const Graph &graph, const PassContext &context);
// Nodes that are constant scalars, moved about: kernels hold them as literals, wherever they are.
[[nodiscard]] std::vector<bool> literalsOf(const Graph &graph);

// slotsOf, for a graph in which only Copy nodes read what is on another device; anything else is an error of ours.
[[nodiscard]] Result<std::vector<DeviceSlot>> settledSlots(const Graph &graph, const PassContext &context);

} // namespace sw
