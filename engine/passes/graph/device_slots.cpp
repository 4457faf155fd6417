#include "engine/passes/graph/device_slots.h"

#include <algorithm>

namespace sw {

namespace {

std::string knownDevices(const PassContext &context)
{
    std::vector<std::string> names;
    for (std::size_t slot = 0; slot < context.deviceCount(); ++slot)
        names.push_back(context.device(DeviceSlot(slot)).id);
    return join(names, ", ");
}

constexpr DeviceSlot kHome = DeviceSlot(0U);

// The slot of the readers so far, and whether they are on several.
struct ReadersPlace {
    std::optional<DeviceSlot> slot;
    bool isDivided = false;

    void add(DeviceSlot reader)
    {
        isDivided = isDivided || (slot && *slot != reader);
        slot = reader;
    }
};

} // namespace

std::optional<DeviceSlot> slotNamed(const PassContext &context, std::string_view device)
{
    if (device == kDefaultDevice)
        return kHome;
    const std::string name = canonicalDevice(device);
    for (std::size_t slot = 0; slot < context.deviceCount(); ++slot)
        if (context.device(DeviceSlot(slot)).id == name)
            return DeviceSlot(slot);
    return std::nullopt;
}

Result<DeviceSlot> slotNamed(const PassContext &context, const Graph &graph, const NamedDevice &device)
{
    if (const auto slot = slotNamed(context, device.name))
        return *slot;
    return Diagnostic::error(Code::DeviceUnavailable, graph.sources().programRange(graph.node(device.node).origin),
                             "this is not compiled for a device called {}; it is for {}", quoted(device.name),
                             knownDevices(context));
}

std::string nameOfSlot(const PassContext &context, DeviceSlot slot)
{
    return slot == kHome ? std::string(kDefaultDevice) : context.device(slot).id;
}

std::vector<bool> literalsOf(const Graph &graph)
{
    std::vector<bool> isLiteral(graph.size(), false);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Node &node = graph.nodes()[i];
        const bool isMoved = familyOf(node.kind) == NodeFamily::Movement && node.kind != NodeKind::Pad &&
                             node.kind != NodeKind::View && isLiteral[node.inputs[0].value];
        isLiteral[i] = sw::isLiteral(node) || isMoved;
    }
    // A value that must be in memory has one buffer, so it is not a literal.
    for (const Node &node : graph.nodes()) {
        if (familyOf(node.kind) == NodeFamily::Indexing)
            isLiteral[node.inputs[0].value] = false;
        if (isTransfer(node.kind))
            for (const NodeId input : node.inputs)
                isLiteral[input.value] = false;
    }
    for (const NodeId output : graph.outputs())
        isLiteral[output.value] = false;
    return isLiteral;
}

Result<std::vector<DeviceSlot>> slotsOf(const Graph &graph, const PassContext &context)
{
    std::vector<ValuePlace> places(graph.size());
    std::vector<DeviceSlot> slots(graph.size(), kHome);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Node &node = graph.nodes()[i];
        std::vector<const ValuePlace *> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(&places[input.value]);
        places[i] = placeOf(node, inputs);
        if (places[i].residence == Residence::Named) {
            SW_TRY(slots[i], slotNamed(context, graph, {places[i].device, NodeId(i)}));
        }
    }
    std::vector<ReadersPlace> readers(graph.size());
    for (std::size_t i = graph.size(); i-- > 0;) {
        const Node &node = graph.nodes()[i];
        if (places[i].residence == Residence::Anywhere && readers[i].slot && !readers[i].isDivided)
            slots[i] = *readers[i].slot;
        // A value that is copied or is an output is at home.
        const bool isElsewhere = node.kind == NodeKind::Copy || node.kind == NodeKind::Sink;
        for (const NodeId input : node.inputs)
            readers[input.value].add(isElsewhere ? kHome : slots[i]);
    }
    return slots;
}

Result<std::vector<DeviceSlot>> settledSlots(const Graph &graph, const PassContext &context)
{
    const auto isPlacement = [](const Node &node) { return node.kind == NodeKind::Multi || !deviceNamedBy(node).empty(); };
    if (std::ranges::none_of(graph.nodes(), isPlacement))
        return std::vector<DeviceSlot>(graph.size(), kHome);
    SW_TRY(std::vector<DeviceSlot> slots, slotsOf(graph, context));
    const std::vector<bool> isLiteral = literalsOf(graph);
    for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
        const Node &node = graph.nodes()[i];
        const bool isPlaced = node.kind != NodeKind::Device && node.kind != NodeKind::Multi;
        const bool mayCross = node.kind == NodeKind::Copy;
        for (const NodeId input : node.inputs) {
            if (isPlaced && (mayCross || slots[input.value] == slots[i] || isLiteral[input.value]))
                continue;
            return Diagnostic::error(Code::Internal, graph.sources().programRange(node.origin),
                                     "%{} {} has not been placed: it reads %{} on {}", i, operationText(node), input.value,
                                     context.device(slots[input.value]).id);
        }
    }
    return slots;
}

} // namespace sw
