#include "engine/passes/graph/shard_transfers.h"

#include "engine/passes/graph/device_slots.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw {

namespace {

// With this many elements and more than two devices, each device combines one part of a partial value and gives it to the others.
// With n devices each moves 2 (n - 1) / n of the value, instead of n - 1 times all of it.
constexpr std::int64_t kReducedByParts = std::int64_t{1} << 16; // elements

} // namespace

void ShardTransfers::beginFor(const Node &reader)
{
    m_origin = reader.origin;
    m_scope = reader.scope;
    m_notes.clear();
    closeScope();
}

Result<NodeId> ShardTransfers::wholeOn(PlacedValue &value, DeviceSlot slot)
{
    if (value.isSingle() && (value.residence == Residence::Anywhere || value.slot == slot))
        return value.parts[0];
    for (const auto &[device, id] : value.wholes)
        if (device == slot)
            return id;
    SW_TRY(const NodeId made, makeWhole(value, slot));
    value.wholes.emplace_back(slot, made);
    return made;
}

Result<NodeId> ShardTransfers::makeWhole(PlacedValue &value, DeviceSlot slot)
{
    const ShardLayout target{{slot}};
    if (value.isSingle()) {
        noteMove("copy", value.parts[0], target);
        return copyTo(value.parts[0], value.slot, slot);
    }
    if (value.form == PlacedForm::Partial) {
        noteMove("reduce", value.parts[0], target);
        openScope("reduce");
        SW_TRY(const Parts here, copiesOn(slot, value.parts, value.layout));
        Result<NodeId> made = combined(value, here);
        closeScope();
        return made;
    }
    if (!value.layout.axis) {
        const auto there = std::ranges::find(value.layout.devices, slot);
        const auto part = there == value.layout.devices.end() ? 0 : there - value.layout.devices.begin();
        const NodeId id = value.parts[static_cast<std::size_t>(part)];
        if (there == value.layout.devices.end())
            noteMove("copy", id, target);
        return copyTo(id, value.layout.devices[static_cast<std::size_t>(part)], slot);
    }
    openScope("gather");
    SW_TRY(const Parts here, copiesOn(slot, value.parts, value.layout));
    Result<NodeId> made = m_builder.cat(*m_origin, here, *value.layout.axis);
    closeScope();
    if (made)
        noteMove("gather", *made, target);
    return made;
}

Result<std::vector<NodeId>> ShardTransfers::spread(PlacedValue &value, const ShardLayout &layout)
{
    if (value.form == PlacedForm::Shards && value.layout == layout)
        return value.parts;
    for (const auto &[known, parts] : value.spreads)
        if (known == layout)
            return parts;
    SW_TRY(Parts made, makeSpread(value, layout));
    value.spreads.emplace_back(layout, made);
    return made;
}

Result<std::vector<NodeId>> ShardTransfers::makeSpread(PlacedValue &value, const ShardLayout &layout)
{
    if (value.isSingle())
        return scattered(value, layout);
    if (value.layout.devices != layout.devices) {
        SW_TRY(const NodeId whole, wholeOn(value, layout.devices.front()));
        return scattered({PlacedForm::Single, {whole}, Residence::Named, layout.devices.front()}, layout);
    }
    if (value.form == PlacedForm::Partial)
        return layout.axis ? reduceScattered(value, layout) : allReduced(value);
    if (!layout.axis)
        return allGathered(value.parts, value.layout);
    SW_TRY(const Parts wholes, spread(value, layout.withWholes()));
    return sliced(wholes, layout);
}

// From one device: sends each device its part, or the whole value.
Result<std::vector<NodeId>> ShardTransfers::scattered(const PlacedValue &single, const ShardLayout &layout)
{
    const NodeId id = single.parts[0];
    const bool isAnywhere = single.residence == Residence::Anywhere;
    if (!isAnywhere)
        noteMove(layout.axis ? "scatter" : "replicate", id, layout);
    const std::vector<Range> ranges = rangesOf(layout);
    Parts parts;
    for (std::size_t i = 0; i < layout.devices.size(); ++i) {
        SW_TRY(const NodeId part, layout.axis ? slice(id, ranges[i]) : Result<NodeId>(id));
        SW_TRY(const NodeId there, isAnywhere ? Result<NodeId>(part) : copyTo(part, single.slot, layout.devices[i]));
        parts.push_back(there);
    }
    return parts;
}

// Each device takes its part of its own whole value.
Result<std::vector<NodeId>> ShardTransfers::sliced(const Parts &wholes, const ShardLayout &layout)
{
    const std::vector<Range> ranges = rangesOf(layout);
    Parts parts;
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        SW_TRY(const NodeId part, slice(wholes[i], ranges[i]));
        parts.push_back(part);
    }
    return parts;
}

Result<std::vector<NodeId>> ShardTransfers::allGathered(const Parts &parts, const ShardLayout &from)
{
    openScope("all_gather");
    Parts wholes;
    for (const DeviceSlot slot : from.devices) {
        SW_TRY(const Parts here, copiesOn(slot, parts, from));
        SW_TRY(const NodeId whole, m_builder.cat(*m_origin, here, *from.axis));
        wholes.push_back(whole);
    }
    closeScope();
    noteMove("all-gather", wholes.front(), from);
    return wholes;
}

Result<std::vector<NodeId>> ShardTransfers::allReduced(const PlacedValue &partial)
{
    const Node &first = m_builder.node(partial.parts.front());
    if (partial.parts.size() > 2 && first.shape.elements() >= kReducedByParts)
        return allReducedByParts(partial);
    noteMove("all-reduce", partial.parts.front(), partial.layout);
    openScope("all_reduce");
    Parts wholes;
    for (const DeviceSlot slot : partial.layout.devices) {
        SW_TRY(const Parts here, copiesOn(slot, partial.parts, partial.layout));
        SW_TRY(const NodeId whole, combined(partial, here));
        wholes.push_back(whole);
    }
    closeScope();
    return wholes;
}

// Treats the value as one row of elements: each device combines its part of the row, and then all devices get all parts.
Result<std::vector<NodeId>> ShardTransfers::allReducedByParts(const PlacedValue &partial)
{
    const Shape shape = m_builder.node(partial.parts.front()).shape;
    const auto count = static_cast<std::int64_t>(partial.parts.size());
    PlacedValue row = partial;
    row.spreads.clear();
    ShardLayout split{partial.layout.devices, 0};
    for (std::int64_t i = 0; i < count; ++i) {
        NodeId &part = row.parts[static_cast<std::size_t>(i)];
        SW_TRY(part, m_builder.reshape(*m_origin, part, Shape{shape.elements()}));
        split.extents.push_back(shape.elements() / count + (i < shape.elements() % count ? 1 : 0));
    }
    SW_TRY(const Parts combinedParts, reduceScattered(row, split));
    SW_TRY(Parts wholes, allGathered(combinedParts, split));
    for (NodeId &whole : wholes) {
        SW_TRY(whole, m_builder.reshape(*m_origin, whole, shape));
    }
    return wholes;
}

// Each device gets its slice of the value from all devices and combines the slices.
Result<std::vector<NodeId>> ShardTransfers::reduceScattered(const PlacedValue &partial, const ShardLayout &layout)
{
    noteMove("reduce-scatter", partial.parts.front(), layout);
    openScope("reduce_scatter");
    const std::vector<Range> ranges = rangesOf(layout);
    Parts results;
    for (std::size_t i = 0; i < layout.devices.size(); ++i) {
        Parts slices;
        for (const NodeId part : partial.parts) {
            SW_TRY(const NodeId piece, slice(part, ranges[i]));
            slices.push_back(piece);
        }
        SW_TRY(const Parts here, copiesOn(layout.devices[i], slices, partial.layout));
        SW_TRY(const NodeId result, combined(partial, here));
        results.push_back(result);
    }
    closeScope();
    return results;
}

Result<std::vector<NodeId>> ShardTransfers::copiesOn(DeviceSlot slot, const Parts &parts, const ShardLayout &from)
{
    Parts here;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        SW_TRY(const NodeId copy, copyTo(parts[i], from.devices[i], slot));
        here.push_back(copy);
    }
    return here;
}

// Combines in the order of the devices, so that every device gets the same bits.
Result<NodeId> ShardTransfers::combined(const PlacedValue &partial, const Parts &here)
{
    NodeId result = here.front();
    for (const NodeId part : std::span(here).subspan(1)) {
        SW_TRY(result, m_builder.elementwise(*m_origin, partial.combine, std::array{result, part}));
    }
    return m_builder.cast(*m_origin, result, partial.dtype);
}

// Views that do not make the value smaller are applied again after the copy.
Result<NodeId> ShardTransfers::copyTo(NodeId id, DeviceSlot from, DeviceSlot to)
{
    if (from == to)
        return id;
    std::vector<NodeId> views;
    NodeId moved = id;
    while (isFreeToRepeat(m_builder.node(moved))) {
        views.push_back(moved);
        moved = m_builder.node(moved).inputs[0];
    }
    SW_TRY(NodeId there, m_builder.copy(*m_origin, moved, {nameOfSlot(m_context, to)}));
    for (auto view = views.rbegin(); view != views.rend(); ++view) {
        Node again = m_builder.node(*view);
        again.inputs = {there};
        there = m_builder.addUnchecked(std::move(again));
    }
    return there;
}

bool ShardTransfers::isFreeToRepeat(const Node &node) const
{
    return familyOf(node.kind) == NodeFamily::Movement &&
           m_builder.node(node.inputs[0]).shape.elements() <= node.shape.elements();
}

Result<NodeId> ShardTransfers::slice(NodeId id, const Range &range)
{
    const Shape shape = m_builder.node(id).shape;
    if (range.begin == 0 && range.end == shape[range.axis])
        return id;
    if (m_builder.node(id).kind == NodeKind::Expand)
        return sliceOfRepeated(id, range);
    ShrinkAttributes kept{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    kept.begin[range.axis] = range.begin;
    kept.end[range.axis] = range.end;
    return m_builder.shrink(*m_origin, id, std::move(kept));
}

// Takes the slice before repeating, so that no more elements move than the unrepeated value has.
Result<NodeId> ShardTransfers::sliceOfRepeated(NodeId id, const Range &range)
{
    Node part = m_builder.node(id);
    std::vector<std::int64_t> extents(part.shape.begin(), part.shape.end());
    extents[range.axis] = range.end - range.begin;
    const bool isRepeated = m_builder.node(part.inputs[0]).shape[range.axis] != part.shape[range.axis];
    NodeId input = part.inputs[0];
    if (!isRepeated) {
        SW_TRY(input, slice(input, range));
    }
    return m_builder.expand(*m_origin, input, Shape(std::move(extents)));
}

std::vector<ShardTransfers::Range> ShardTransfers::rangesOf(const ShardLayout &layout)
{
    std::vector<Range> ranges;
    std::int64_t begin = 0;
    for (const std::int64_t extent : layout.extents) {
        ranges.push_back({*layout.axis, begin, begin + extent});
        begin += extent;
    }
    return ranges;
}

void ShardTransfers::openScope(std::string_view name)
{
    m_builder.setScope(m_sources.addScope({std::string(name), m_scope, m_origin->sources().front()}));
}

void ShardTransfers::noteMove(std::string_view what, NodeId value, const ShardLayout &layout)
{
    m_notes.push_back(format("{} of {} bytes on {}", what, bytesOfValue(value), devicesText(layout)));
}

std::string ShardTransfers::devicesText(const ShardLayout &layout) const
{
    return join(layout.devices, ", ", [this](DeviceSlot slot) { return m_context.device(slot).id; });
}

std::int64_t ShardTransfers::bytesOfValue(NodeId id) const
{
    const Node &node = m_builder.node(id);
    return node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype));
}

} // namespace sw
