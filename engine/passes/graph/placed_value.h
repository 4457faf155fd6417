#pragma once
// What stands for a value once the pass place has given everything its device.

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
    std::vector<std::int64_t> extents = {}; // of the axis, by part; none without an axis
    bool operator==(const ShardLayout &) const = default;

    [[nodiscard]] ShardLayout withWholes() const { return {devices}; }
};

// Single: one node on one device. Shards: by the layout. Partial: on each device of the layout a value of the whole shape, and
// all of them combined are the value: what a reduction over a sharded axis gives. It is combined where and as far as it is read.
enum class PlacedForm : std::uint8_t { Single, Shards, Partial };

struct PlacedValue {
    PlacedForm form = PlacedForm::Single;
    std::vector<NodeId> parts; // one, of Single
    // Of Single: whether its device was asked for, and the device. Others follow what they are computed with.
    Residence residence = Residence::Anywhere;
    DeviceSlot slot = DeviceSlot(0U);
    ShardLayout layout = {}; // of the others
    // Of Partial: what combines the parts, and the type that the result is converted to: sums of narrow floats are wider.
    Op combine = Op::Add;
    DType dtype = DType::F32;

    // The same value as it has been made already for some reader.
    std::vector<std::pair<ShardLayout, std::vector<NodeId>>> spreads = {};
    std::vector<std::pair<DeviceSlot, NodeId>> wholes = {};

    [[nodiscard]] bool isSingle() const { return form == PlacedForm::Single; }
    [[nodiscard]] bool isSharded() const { return form == PlacedForm::Shards && layout.axis.has_value(); }
};

} // namespace sw
