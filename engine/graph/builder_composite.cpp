// The builder's functions for composite nodes, which a pass expands into simpler ones, and for markers.

#include "engine/graph/builder.h"
#include "engine/graph/kernel_body.h"

#include <utility>

namespace sw {

Result<NodeId> GraphBuilder::saturatingCast(Origin origin, NodeId input, DType dtype)
{
    if (node(input).dtype == dtype)
        return input;
    Node made = make(NodeKind::Cast, std::move(origin));
    made.dtype = dtype;
    made.attributes = SaturateAttributes{};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::scatter(Origin origin, NodeId base, NodeId indices, NodeId updates, ScatterAttributes attributes)
{
    Node made = make(NodeKind::Scatter, std::move(origin));
    made.attributes = attributes;
    made.inputs = {base, indices, updates};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::custom(Origin origin, std::span<const NodeId> inputs, DType dtype, CustomAttributes attributes)
{
    Node made = make(NodeKind::Custom, std::move(origin));
    made.dtype = dtype;
    made.attributes = std::move(attributes);
    made.inputs.assign(inputs.begin(), inputs.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::assign(Origin origin, NodeId target, std::span<const NodeId> updates, AssignAttributes ranges)
{
    Node made = make(NodeKind::Assign, std::move(origin));
    made.attributes = std::move(ranges);
    made.inputs = {target};
    made.inputs.insert(made.inputs.end(), updates.begin(), updates.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::bufferView(Origin origin, NodeId input, std::int64_t offset, std::int64_t elements)
{
    auto shape = Shape::checked({elements});
    if (!shape)
        return placed(origin, shape.failure());
    Node made = make(NodeKind::BufferView, std::move(origin));
    made.attributes = BufferViewAttributes{offset};
    made.shape = std::move(shape).value();
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::valid(Origin origin, Shape shape, ViewAttributes view)
{
    Node made = make(NodeKind::Valid, std::move(origin));
    made.attributes = std::move(view);
    made.shape = std::move(shape);
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::gep(Origin origin, NodeId input, std::vector<std::int64_t> lanes)
{
    Node made = make(NodeKind::Gep, std::move(origin));
    made.attributes = LanesAttributes{std::move(lanes)};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::vectorize(Origin origin, std::span<const NodeId> inputs)
{
    Node made = make(NodeKind::Vectorize, std::move(origin));
    made.inputs.assign(inputs.begin(), inputs.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::wmma(Origin origin, NodeId a, NodeId b, NodeId c)
{
    Node made = make(NodeKind::Wmma, std::move(origin));
    made.inputs = {a, b, c};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::contract(Origin origin, std::span<const NodeId> inputs, std::string subscripts)
{
    Node made = make(NodeKind::Contract, std::move(origin));
    made.attributes = ContractAttributes{std::move(subscripts)};
    made.inputs.assign(inputs.begin(), inputs.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::threefry(Origin origin, NodeId key, NodeId counter, ThreefryAttributes attributes)
{
    Node made = make(NodeKind::Threefry, std::move(origin));
    made.attributes = attributes;
    made.inputs = {key, counter};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::uniform(Origin origin, NodeId input, DType dtype, UniformForm form)
{
    Node made = make(NodeKind::Uniform, std::move(origin));
    made.dtype = dtype;
    made.attributes = UniformAttributes{form};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::choose(Origin origin, NodeId condition, NodeId whenTrue, NodeId whenFalse)
{
    Node made = make(NodeKind::Choose, std::move(origin));
    made.inputs = {condition, whenTrue, whenFalse};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::crop(Origin origin, NodeId value, NodeId count, std::size_t axis)
{
    Node made = make(NodeKind::Crop, std::move(origin));
    made.attributes = AxisAttributes{axis};
    made.inputs = {value, count};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::kernel(Origin origin, NodeId value, std::span<const NodeId> inputs, std::string name)
{
    Node made = make(NodeKind::Kernel, std::move(origin));
    made.attributes = KernelAttributes{std::move(name)};
    made.inputs = {value};
    made.inputs.insert(made.inputs.end(), inputs.begin(), inputs.end());
    if (const auto unused = unusedKernelInput(m_nodes, made))
        return placed(made.origin, Failure({unusedInputOf(made, m_nodes[unused->value])}));
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::marker(Origin origin, NodeKind kind, NodeId input, NodeAttributes attributes)
{
    const bool isMarker = familyOf(kind) == NodeFamily::Marker || kind == NodeKind::Fuse || kind == NodeKind::Unroll;
    SW_ASSERT(isMarker, "a kind of marker");
    Node made = make(kind, std::move(origin));
    made.attributes = std::move(attributes);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::onDevice(Origin origin, NodeId input, std::string device)
{
    Node made = make(NodeKind::Device, std::move(origin));
    made.attributes = DeviceAttributes{std::move(device)};
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::copy(Origin origin, NodeId input, CopyAttributes attributes)
{
    Node made = make(NodeKind::Copy, std::move(origin));
    made.attributes = std::move(attributes);
    made.inputs = {input};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::scanCarry(Origin origin, NodeId initial, ScanAttributes attributes)
{
    Node made = make(NodeKind::ScanCarry, std::move(origin));
    made.attributes = attributes;
    made.inputs = {initial};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::scanSlice(Origin origin, NodeId whole, ScanAttributes attributes)
{
    Node made = make(NodeKind::ScanSlice, std::move(origin));
    made.attributes = attributes;
    made.inputs = {whole};
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::scanLast(Origin origin, std::span<const NodeId> nexts, ScanAttributes attributes)
{
    Node made = make(NodeKind::ScanLast, std::move(origin));
    made.attributes = attributes;
    made.inputs.assign(nexts.begin(), nexts.end());
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::scanRows(Origin origin, std::span<const NodeId> nexts, NodeId row, ScanAttributes attributes)
{
    Node made = make(NodeKind::ScanRows, std::move(origin));
    made.attributes = attributes;
    made.inputs.assign(nexts.begin(), nexts.end());
    made.inputs.push_back(row);
    return addChecked(std::move(made));
}

Result<NodeId> GraphBuilder::multi(Origin origin, std::span<const NodeId> shards, MultiAttributes attributes)
{
    Node made = make(NodeKind::Multi, std::move(origin));
    made.attributes = std::move(attributes);
    made.inputs.assign(shards.begin(), shards.end());
    return addChecked(std::move(made));
}

} // namespace sw
