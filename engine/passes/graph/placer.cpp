#include "engine/passes/graph/placer.h"

#include "engine/passes/graph/device_slots.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

constexpr DeviceSlot kHome = DeviceSlot(0U);

PlacedValue singleOf(NodeId id, Residence residence, DeviceSlot slot)
{
    return {PlacedForm::Single, {id}, residence, slot};
}

std::string labelOf(NodeId id, const Node &node)
{
    return node.name.empty() ? format("%{} {}", id.value, operationText(node)) : node.name;
}

} // namespace

Placer::Placer(const Graph &graph, PassContext &context)
    : m_graph(graph),
      m_context(context),
      m_sources(std::make_shared<SourceMap>(graph.sources())),
      m_builder(m_sources),
      m_transfers(m_builder, *m_sources, context),
      m_wishes(graph.size())
{
}

Result<Graph> Placer::run()
{
    SW_CHECK(findWishes());
    for (std::size_t i = 0; i < m_graph.size(); ++i) {
        if (m_context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
        SW_CHECK(placeNode(NodeId(i)));
    }
    return std::move(m_builder).finishUnchecked();
}

// Goes from readers back to their inputs: if all readers of a node wish for the same device, the node is wished for there.
Result<Done> Placer::findWishes()
{
    const auto users = m_graph.users();
    for (std::size_t i = m_graph.size(); i-- > 0;) {
        const NodeId id(i);
        const Node &node = m_graph.node(id);
        if (const auto *device = std::get_if<DeviceAttributes>(&node.attributes)) {
            SW_TRY(m_wishes[i], slotNamed(m_context, m_graph, {canonicalDevice(device->device), id}));
            continue;
        }
        const bool isBorder = node.kind == NodeKind::Copy || node.kind == NodeKind::Multi || node.kind == NodeKind::Sink;
        if (isBorder || users[i].empty())
            continue;
        const std::optional<DeviceSlot> wish = m_wishes[users[i].front().value];
        if (std::ranges::all_of(users[i], [&](NodeId user) { return m_wishes[user.value] == wish; }))
            m_wishes[i] = wish;
    }
    return Done{};
}

Result<Done> Placer::placeNode(NodeId id)
{
    const Node &node = m_graph.node(id);
    m_transfers.beginFor(node);
    m_rule = {};
    SW_TRY(PlacedValue value, m_context.mayRewrite() ? placed(id) : leftAlone(id));
    for (std::size_t i = 0; i < value.parts.size(); ++i) {
        const NodeId part = value.parts[i];
        m_builder.mergeOrigin(part, node.origin);
        if (!node.name.empty() && m_builder.node(part).name.empty())
            m_builder.setName(part, value.isSingle() ? node.name : format("{}_{}", node.name, i));
    }
    if (!m_rule.empty())
        record(id, value, m_rule);
    m_values.push_back(std::move(value));
    return Done{};
}

Result<PlacedValue> Placer::placed(NodeId id)
{
    const Node &node = m_graph.node(id);
    if (node.kind == NodeKind::Sink)
        return sunk(id);
    if (node.kind == NodeKind::Device)
        return onDevice(id);
    if (node.kind == NodeKind::Copy)
        return copied(id);
    if (node.kind == NodeKind::Multi)
        return joined(id);
    if (isOfScan(node.kind) && hasPartsAmongInputs(node))
        return Diagnostic::error(Code::Unsupported, m_graph.sources().programRange(node.origin),
                                 "{} reads a value that lies on several devices, and a scan is computed on one",
                                 operationText(node))
            .withHint("copy(x, device) brings the value to one device");
    return hasPartsAmongInputs(node) ? inParts(id) : single(id);
}

Result<PlacedValue> Placer::onDevice(NodeId id)
{
    const DeviceSlot slot = *m_wishes[id.value];
    PlacedValue &input = valueOf(m_graph.node(id).inputs[0]);
    m_rule = "place";
    SW_TRY(const NodeId there, m_transfers.wholeOn(input, slot));
    const bool isAnywhere = input.isSingle() && input.residence == Residence::Anywhere;
    return singleOf(there, isAnywhere ? Residence::Anywhere : Residence::Named, slot);
}

Result<PlacedValue> Placer::copied(NodeId id)
{
    const Node &node = m_graph.node(id);
    const auto &wanted = attributesOf<CopyAttributes>(node);
    SW_TRY(const DeviceSlot slot, slotNamed(m_context, m_graph, {canonicalDevice(wanted.device), id}));
    PlacedValue &input = valueOf(node.inputs[0]);
    const bool isAnywhere = input.isSingle() && input.residence == Residence::Anywhere;
    const bool isThere = input.isSingle() && input.slot == slot && !isAnywhere;
    if (input.isSingle() && (!isThere || wanted.isClone)) {
        Node copy = node;
        copy.inputs[0] = input.parts[0];
        return singleOf(m_builder.addUnchecked(std::move(copy)), Residence::Named, slot);
    }
    m_rule = "copy";
    if (isThere)
        m_transfers.note(format("it is on {} already", m_context.device(slot).id));
    SW_TRY(NodeId there, m_transfers.wholeOn(input, slot));
    if (wanted.isClone) {
        SW_TRY(there, m_builder.copy(node.origin, there, {nameOfSlot(m_context, slot), true}));
    }
    return singleOf(there, Residence::Named, slot);
}

// Each shard stays where it is; a shard that is itself on several devices is brought home first.
Result<PlacedValue> Placer::joined(NodeId id)
{
    const Node &node = m_graph.node(id);
    const auto &multi = attributesOf<MultiAttributes>(node);
    m_rule = "shards";
    PlacedValue value{PlacedForm::Shards, {}, Residence::Named, kHome, {{}, multi.axis}};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!isReal(multi, i))
            continue;
        PlacedValue &input = valueOf(node.inputs[i]);
        const DeviceSlot slot = input.isSingle() ? input.slot : kHome;
        SW_TRY(const NodeId part, m_transfers.wholeOn(input, slot));
        value.parts.push_back(part);
        value.layout.devices.push_back(slot);
        if (multi.axis)
            value.layout.extents.push_back(m_graph.node(node.inputs[i]).shape[*multi.axis]);
    }
    if (value.parts.size() == 1)
        return singleOf(value.parts[0], Residence::Named, value.layout.devices[0]);
    return value;
}

// A node of whole values: on the device that is wished for, else on that of the first input whose device is named.
Result<PlacedValue> Placer::single(NodeId id)
{
    Node node = m_graph.node(id);
    if (familyOf(node.kind) == NodeFamily::Leaf)
        return singleOf(m_builder.addUnchecked(node), placeOf(node, {}).residence, kHome);
    PlacedValue made = singleOf({}, Residence::Anywhere, kHome);
    for (const NodeId input : node.inputs)
        if (valueOf(input).residence > made.residence) {
            made.residence = valueOf(input).residence;
            made.slot = valueOf(input).slot;
        }
    if (made.residence != Residence::Anywhere && m_wishes[id.value]) {
        made.residence = Residence::Named;
        made.slot = *m_wishes[id.value];
    }
    for (NodeId &input : node.inputs) {
        SW_TRY(input, m_transfers.wholeOn(valueOf(input), made.slot));
    }
    if (!m_transfers.notes().empty())
        m_rule = "copy-operands";
    made.parts = {m_builder.addUnchecked(std::move(node))};
    return made;
}

Result<PlacedValue> Placer::sunk(NodeId id)
{
    Node node = m_graph.node(id);
    for (NodeId &input : node.inputs) {
        SW_TRY(input, outputOf(valueOf(input)));
    }
    if (!m_transfers.notes().empty())
        m_rule = "collect-outputs";
    return singleOf(m_builder.addUnchecked(std::move(node)), Residence::Named, kHome);
}

// A value that is whole on some device is fetched from there; any other value is made whole at home.
Result<NodeId> Placer::outputOf(PlacedValue &value)
{
    if (value.isSingle())
        return value.parts[0];
    const auto &devices = value.layout.devices;
    const bool isWhole = value.form == PlacedForm::Shards && !value.layout.axis;
    const bool isAtHome = std::ranges::find(devices, kHome) != devices.end();
    return m_transfers.wholeOn(value, isWhole && !isAtHome ? devices.front() : kHome);
}

// Used when no more rewrites are allowed: the node as it was, reading its inputs as they were.
Result<PlacedValue> Placer::leftAlone(NodeId id)
{
    Node node = m_graph.node(id);
    for (NodeId &input : node.inputs) {
        SW_TRY(input, asNode(valueOf(input)));
    }
    return singleOf(m_builder.addUnchecked(std::move(node)), Residence::AtHome, kHome);
}

Result<NodeId> Placer::asNode(PlacedValue &value)
{
    if (value.isSingle())
        return value.parts[0];
    if (value.form == PlacedForm::Partial)
        return m_transfers.wholeOn(value, kHome);
    const Origin origin = m_builder.node(value.parts[0]).origin;
    return m_builder.multi(origin, value.parts, {value.layout.axis, {}});
}

void Placer::record(NodeId id, const PlacedValue &value, std::string_view rule)
{
    m_context.record(rule, [&] {
        std::vector<std::uint32_t> after;
        for (const NodeId part : value.parts)
            after.push_back(part.value);
        const std::string notes = m_transfers.notes();
        return RewriteDetail{
            format("{} on {}{}{}", labelOf(id, m_graph.node(id)), whereText(value), notes.empty() ? "" : ": ", notes),
            {id.value},
            std::move(after)};
    });
}

std::string Placer::whereText(const PlacedValue &value) const
{
    const auto deviceText = [this](DeviceSlot slot) { return m_context.device(slot).id; };
    std::string where = value.isSingle() ? deviceText(value.slot) : join(value.layout.devices, ", ", deviceText);
    if (value.isSharded())
        where += format(" along axis {} as {}", *value.layout.axis, join(value.layout.extents, " + "));
    else if (!value.isSingle())
        where += value.form == PlacedForm::Partial ? format(", to be combined by {}", nameOf(value.combine)) : ", each the whole";
    return where;
}

} // namespace sw
