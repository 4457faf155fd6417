// Operations on values that lie on several devices.

#include "engine/graph/kernel_body.h"
#include "engine/passes/graph/placer.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// The node has one input, and each of its elements comes from one element of the input, or it is a reduction.
bool hasOneInput(const Node &node)
{
    const NodeFamily family = familyOf(node.kind);
    const bool isPlain = family == NodeFamily::Movement || family == NodeFamily::Elementwise || family == NodeFamily::Marker ||
                         family == NodeFamily::Reduce || node.kind == NodeKind::Contiguous;
    return isPlain && node.inputs.size() == 1;
}

bool reduces(const Node &node, const ShardLayout &layout)
{
    if (node.kind != NodeKind::ReduceAxis || !layout.axis)
        return false;
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    return std::ranges::find(axes, *layout.axis) != axes.end();
}

} // namespace

bool Placer::hasPartsAmongInputs(const Node &node) const
{
    return std::ranges::any_of(node.inputs, [this](NodeId input) { return !valueOf(input).isSingle(); });
}

Result<PlacedValue> Placer::inParts(NodeId id)
{
    const Node &node = m_graph.node(id);
    m_rule = "part-by-part";
    if (node.kind == NodeKind::Kernel)
        return Diagnostic::error(Code::Unsupported, m_graph.sources().programRange(node.origin),
                                 "{} of a value that lies in parts on several devices", kernelText(node))
            .withHint("one kernel is on one device: ask for one for each part, and put them together with multi()");
    if (hasOneInput(node))
        return oneInput(id);
    if (familyOf(node.kind) == NodeFamily::Elementwise)
        return elementwise(id);
    if (node.kind == NodeKind::Cat)
        return joinedAlongAxis(id);
    if (familyOf(node.kind) == NodeFamily::Indexing)
        return lookedUp(id);
    return everywhere(id, format("{} takes whole values", operationText(node)));
}

// The layout for a node of several inputs: that of the first sharded one, else whole values on the devices of the first in parts.
ShardLayout Placer::commonLayout(const Node &node) const
{
    for (const NodeId input : node.inputs)
        if (valueOf(input).isSharded())
            return valueOf(input).layout;
    return wholesOf(node);
}

ShardLayout Placer::wholesOf(const Node &node) const
{
    for (const NodeId input : node.inputs)
        if (!valueOf(input).isSingle())
            return valueOf(input).layout.withWholes();
    SW_UNREACHABLE();
}

Result<PlacedValue> Placer::oneInput(NodeId id)
{
    const Node &node = m_graph.node(id);
    PlacedValue &input = valueOf(node.inputs[0]);
    if (input.form == PlacedForm::Partial)
        return ofPartial(id);
    if (reduces(node, input.layout)) {
        const bool isOrdered = m_context.options().strict && roundsEachStep(node.op, node.dtype);
        if (isOrdered)
            return everywhere(id, "it adds up in the order of the source");
        // A reduction of no elements gives the neutral value of its own type, which may differ from that of the wider type.
        if (m_graph.node(node.inputs[0]).shape.isEmpty())
            return everywhere(id, "there is nothing to reduce");
        return reducedInParts(id);
    }
    LocalForm form = localForm(node, m_graph.node(node.inputs[0]).shape, input.layout);
    if (!form.obstacle.empty())
        return everywhere(id, form.obstacle);
    PlacedValue made{PlacedForm::Shards, {}, Residence::Named, {}, std::move(form.layout)};
    for (std::size_t i = 0; i < form.nodes.size(); ++i) {
        form.nodes[i].inputs = {input.parts[form.parts[i]]};
        made.parts.push_back(m_builder.addUnchecked(std::move(form.nodes[i])));
    }
    if (made.parts.size() == 1)
        return PlacedValue{PlacedForm::Single, made.parts, Residence::Named, made.layout.devices[0]};
    return made;
}

// Nodes that move elements without repeating any, or reduce by the same operation, may be applied before the parts are combined.
Result<PlacedValue> Placer::ofPartial(NodeId id)
{
    const Node &node = m_graph.node(id);
    PlacedValue &input = valueOf(node.inputs[0]);
    const bool combinesToo = node.kind == NodeKind::ReduceAxis && node.op == input.combine && node.dtype == input.dtype;
    const bool onlyMoves = onlyMovesElements(node) && node.shape.elements() <= m_graph.node(node.inputs[0]).shape.elements();
    if (!onlyMoves && !combinesToo) {
        const ShardLayout layout = input.layout;
        return applied(id, layout, std::span(&layout, 1));
    }
    PlacedValue made{PlacedForm::Partial, {}, Residence::Named, {}, input.layout, input.combine, input.dtype};
    for (const NodeId part : input.parts) {
        Node local = node;
        local.dtype = m_builder.node(part).dtype;
        local.inputs = {part};
        made.parts.push_back(m_builder.addUnchecked(std::move(local)));
    }
    return made;
}

// Each device reduces its own part; sums of narrow floats stay wide until the parts are combined.
Result<PlacedValue> Placer::reducedInParts(NodeId id)
{
    const Node &node = m_graph.node(id);
    const PlacedValue &input = valueOf(node.inputs[0]);
    PlacedValue made{PlacedForm::Partial, {}, Residence::Named, {}, input.layout.withWholes(), node.op, node.dtype};
    for (const NodeId part : input.parts) {
        SW_TRY(const NodeId wide, m_builder.cast(node.origin, part, computeType(node.dtype)));
        SW_TRY(const NodeId reduced, m_builder.reduce(node.origin, node.op, wide, attributesOf<AxesAttributes>(node).axes));
        made.parts.push_back(reduced);
    }
    return made;
}

Result<PlacedValue> Placer::elementwise(NodeId id)
{
    const Node &node = m_graph.node(id);
    const ShardLayout layout = commonLayout(node);
    const std::vector<ShardLayout> inputs(node.inputs.size(), layout);
    return applied(id, layout, inputs);
}

Result<PlacedValue> Placer::joinedAlongAxis(NodeId id)
{
    const Node &node = m_graph.node(id);
    const ShardLayout layout = commonLayout(node);
    if (layout.axis == attributesOf<AxisAttributes>(node).axis)
        return everywhere(id, "it joins along the sharded axis");
    const std::vector<ShardLayout> inputs(node.inputs.size(), layout);
    return applied(id, layout, inputs);
}

// Each device looks up its own indices in the whole source, or, if the sharded axis is not the axis of the lookup, in its part of
// the source.
Result<PlacedValue> Placer::lookedUp(NodeId id)
{
    const Node &node = m_graph.node(id);
    const PlacedValue &indices = valueOf(node.inputs[1]);
    if (!indices.isSharded())
        return everywhere(id, "the source of a lookup is needed as a whole");
    const ShardLayout layout = indices.layout;
    std::vector<ShardLayout> inputs(node.inputs.size(), layout);
    inputs[0] = layout.withWholes();
    if (node.kind == NodeKind::Gather && *layout.axis != attributesOf<AxisAttributes>(node).axis) {
        const std::size_t axis = *layout.axis;
        if (m_graph.node(node.inputs[0]).shape[axis] != m_graph.node(node.inputs[1]).shape[axis])
            return everywhere(id, "the source is longer than the indices along the sharded axis");
        inputs[0] = layout;
    }
    return applied(id, layout, inputs);
}

// All devices get all inputs whole and compute the same.
Result<PlacedValue> Placer::everywhere(NodeId id, const std::string &reason)
{
    const Node &node = m_graph.node(id);
    m_rule = "on-each-device";
    m_transfers.note("on each device, because " + reason);
    const ShardLayout layout = wholesOf(node);
    const std::vector<ShardLayout> inputs(node.inputs.size(), layout);
    return applied(id, layout, inputs);
}

// Applies the node on each device of the layout `result`, after bringing each input into its layout in `inputs`.
Result<PlacedValue> Placer::applied(NodeId id, const ShardLayout &result, std::span<const ShardLayout> inputs)
{
    const Node &node = m_graph.node(id);
    std::vector<std::vector<NodeId>> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        SW_TRY(std::vector<NodeId> parts, m_transfers.spread(valueOf(node.inputs[i]), inputs[i]));
        operands.push_back(std::move(parts));
    }
    PlacedValue made{PlacedForm::Shards, {}, Residence::Named, {}, result};
    for (std::size_t part = 0; part < result.devices.size(); ++part) {
        Node local = node;
        if (result.axis) {
            std::vector<std::int64_t> extents(node.shape.begin(), node.shape.end());
            extents[*result.axis] = result.extents[part];
            local.shape = Shape(std::move(extents));
        }
        for (std::size_t i = 0; i < operands.size(); ++i)
            local.inputs[i] = operands[i][part];
        made.parts.push_back(m_builder.addUnchecked(std::move(local)));
    }
    return made;
}

} // namespace sw
