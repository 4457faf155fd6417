#pragma once
// The devices of a graph's nodes, as slots of the compilation.

#include "engine/graph/placement.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sw {

// Returns nothing if the compilation has no device of this name. kDefaultDevice is slot 0.
[[nodiscard]] std::optional<DeviceSlot> slotNamed(const PassContext &context, std::string_view device);
// The same, but with an error at the node that names the known devices.
[[nodiscard]] Result<DeviceSlot> slotNamed(const PassContext &context, const Graph &graph, const NamedDevice &device);
// The device name for Copy nodes to this slot.
[[nodiscard]] std::string nameOfSlot(const PassContext &context, DeviceSlot slot);

// The slot of each node. A value computed only from constant scalars is where it is read, or at home if several devices read it.
[[nodiscard]] Result<std::vector<DeviceSlot>> slotsOf(const Graph &graph, const PassContext &context);
// Marks constant scalars and views of them: kernels hold these as literals, on any device.
[[nodiscard]] std::vector<bool> literalsOf(const Graph &graph);

// The same as slotsOf, for a graph in which only Copy nodes read from another device. Anything else is an internal error.
[[nodiscard]] Result<std::vector<DeviceSlot>> settledSlots(const Graph &graph, const PassContext &context);

} // namespace sw
