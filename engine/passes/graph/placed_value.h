#pragma once
// What represents a value after the pass `place` has given every node its device.

#include "engine/graph/placement.h"
#include "engine/schedule/schedule_item.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sw {

// How a value lies on several devices.
struct ShardLayout {
    std::vector<DeviceSlot> devices;        // by part; a device may have several
    std::optional<std::size_t> axis = {};   // nothing: each part is the whole value
    std::vector<std::int64_t> extents = {}; // of the axis, by part; empty without an axis
    bool operator==(const ShardLayout &) const = default;

    [[nodiscard]] ShardLayout withWholes() const { return {devices}; }
};

// Single: one node on one device. Shards: split or repeated as the layout says. Partial: each device of the layout has a value of
// the whole shape, and combining them gives the value, as after a reduction over a sharded axis. Readers combine what they need.
enum class PlacedForm : std::uint8_t { Single, Shards, Partial };

struct PlacedValue {
    PlacedForm form = PlacedForm::Single;
    std::vector<NodeId> parts; // exactly one for Single
    // For Single: whether its device was asked for, and the device. Otherwise the value follows the values it is computed with.
    Residence residence = Residence::Anywhere;
    DeviceSlot slot = DeviceSlot(0U);
    ShardLayout layout = {}; // for Shards and Partial
    // For Partial: the operation that combines the parts, and the type of the result. Sums of narrow floats are wider until then.
    Op combine = Op::Add;
    DType dtype = DType::F32;

    // Forms of this value that were already made for some reader.
    std::vector<std::pair<ShardLayout, std::vector<NodeId>>> spreads = {};
    std::vector<std::pair<DeviceSlot, NodeId>> wholes = {};

    [[nodiscard]] bool isSingle() const { return form == PlacedForm::Single; }
    [[nodiscard]] bool isSharded() const { return form == PlacedForm::Shards && layout.axis.has_value(); }
};

} // namespace sw
