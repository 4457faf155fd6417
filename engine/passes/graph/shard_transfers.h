#pragma once
// Moves values between devices: from one to several, from several to one, and from one layout to another. Moves are written as
// Copy nodes and computations on the way as ordinary nodes, so that the schedule and the kernels show every step.

#include "engine/graph/builder.h"
#include "engine/passes/graph/placed_value.h"
#include "engine/passes/pass_context.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class ShardTransfers {
public:
    // Each collective gets a scope in `sources`, such as "all_reduce".
    ShardTransfers(GraphBuilder &builder, SourceMap &sources, const PassContext &context)
        : m_builder(builder), m_sources(sources), m_context(context)
    {
    }

    // Nodes made from here on are made for `reader`, and notes() starts empty.
    void beginFor(const Node &reader);
    // What has been done since then, as text for people: "all-reduce of 4096 bytes on c, opencl".
    [[nodiscard]] std::string notes() const { return join(m_notes, "; "); }
    void note(std::string text) { m_notes.push_back(std::move(text)); }

    // The whole value on one device.
    [[nodiscard]] Result<NodeId> wholeOn(PlacedValue &value, DeviceSlot slot);
    // The parts of the value in the layout.
    [[nodiscard]] Result<std::vector<NodeId>> spread(PlacedValue &value, const ShardLayout &layout);

private:
    using Parts = std::vector<NodeId>;
    struct Range {
        std::size_t axis = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };

    [[nodiscard]] static std::vector<Range> rangesOf(const ShardLayout &layout);
    Result<NodeId> makeWhole(PlacedValue &value, DeviceSlot slot);
    Result<Parts> makeSpread(PlacedValue &value, const ShardLayout &layout);
    Result<Parts> scattered(const PlacedValue &single, const ShardLayout &layout);
    Result<Parts> sliced(const Parts &wholes, const ShardLayout &layout);
    Result<Parts> allGathered(const Parts &parts, const ShardLayout &from);
    Result<Parts> allReduced(const PlacedValue &partial);
    Result<Parts> allReducedByParts(const PlacedValue &partial);
    Result<Parts> reduceScattered(const PlacedValue &partial, const ShardLayout &layout);

    // Copies of the parts of all devices on one device, in their order.
    Result<Parts> copiesOn(DeviceSlot slot, const Parts &parts, const ShardLayout &from);
    Result<NodeId> combined(const PlacedValue &partial, const Parts &here);
    Result<NodeId> copyTo(NodeId id, DeviceSlot from, DeviceSlot to);
    [[nodiscard]] bool isFreeToRepeat(const Node &node) const;
    Result<NodeId> slice(NodeId id, const Range &range);
    Result<NodeId> sliceOfRepeated(NodeId id, const Range &range);
    void openScope(std::string_view name);
    void closeScope() { m_builder.setScope(m_scope); }
    void noteMove(std::string_view what, NodeId value, const ShardLayout &layout);
    [[nodiscard]] std::string devicesText(const ShardLayout &layout) const;
    [[nodiscard]] std::int64_t bytesOfValue(NodeId id) const;

    GraphBuilder &m_builder;
    SourceMap &m_sources;
    const PassContext &m_context;
    std::optional<Origin> m_origin;
    ScopeId m_scope;
    std::vector<std::string> m_notes;
};

} // namespace sw
