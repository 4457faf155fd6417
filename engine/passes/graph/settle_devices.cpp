#include "engine/passes/graph/settle_devices.h"

#include "engine/graph/builder.h"
#include "engine/passes/graph/device_slots.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sw {

namespace {

class Settler {
public:
    Settler(const Graph &graph, PassContext &context, std::vector<DeviceSlot> slots)
        : m_graph(graph), m_context(context), m_slots(std::move(slots)), m_isLiteral(literalsOf(graph)), m_builder(graph)
    {
    }

    Result<std::optional<Graph>> run()
    {
        bool isChanged = false;
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
            Node node = m_graph.node(NodeId(i));
            for (NodeId &input : node.inputs) {
                const bool isAcross = m_slots[input.value] != m_slots[i] && node.kind != NodeKind::Copy &&
                                      node.kind != NodeKind::Sink && !m_isLiteral[input.value];
                if (isAcross && (m_copies.contains({input, m_slots[i]}) || m_context.mayRewrite())) {
                    SW_TRY(input, copied(input, NodeId(i)));
                    isChanged = true;
                } else {
                    input = m_made[input.value];
                }
            }
            m_made.push_back(m_builder.addUnchecked(std::move(node)));
        }
        return isChanged ? std::optional(std::move(m_builder).finishUnchecked()) : std::nullopt;
    }

private:
    Result<NodeId> copied(NodeId input, NodeId reader)
    {
        const DeviceSlot slot = m_slots[reader.value];
        const auto known = m_copies.find({input, slot});
        if (known != m_copies.end())
            return known->second;
        const Node &node = m_graph.node(input);
        m_builder.setScope(node.scope);
        const Origin origin = Origin::merged(node.origin, m_graph.node(reader).origin);
        SW_TRY(const NodeId copy, m_builder.copy(origin, m_made[input.value], {nameOfSlot(m_context, slot)}));
        m_context.record("copy-to-reader", [&] {
            return RewriteDetail{format("%{} {} on {} is read on {}", input.value, operationText(node),
                                        m_context.device(m_slots[input.value]).id, m_context.device(slot).id),
                                 {input.value, reader.value},
                                 {copy.value}};
        });
        m_copies.emplace(std::pair(input, slot), copy);
        return copy;
    }

    const Graph &m_graph;
    PassContext &m_context;
    std::vector<DeviceSlot> m_slots;
    std::vector<bool> m_isLiteral;
    GraphBuilder m_builder;
    std::vector<NodeId> m_made;
    std::map<std::pair<NodeId, DeviceSlot>, NodeId> m_copies;
};

} // namespace

Result<std::optional<Graph>> settleDevices(const Graph &graph, PassContext &context)
{
    if (std::ranges::none_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Copy; }))
        return std::optional<Graph>();
    SW_TRY(std::vector<DeviceSlot> slots, slotsOf(graph, context));
    return Settler(graph, context, std::move(slots)).run();
}

} // namespace sw
