#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/graph/printer.h"

#include <map>
#include <set>

namespace sw {

namespace {

// Larger tensors are left out of the text that people see.
constexpr std::int64_t kMaxShownTensorBytes = 256;

// Scopes that hold nodes, directly or through inner ones; a scope's group comes after its parent's.
class Groups {
public:
    Groups(StageDocument &document, const SourceMap &sources) : m_document(document), m_sources(sources) {}

    std::uint32_t groupOf(ScopeId scope)
    {
        std::vector<ScopeId> unknown; // from the scope outwards
        while (scope.isValid() && scope != SourceMap::rootScope() && !m_groups.contains(scope)) {
            unknown.push_back(scope);
            scope = m_sources.scope(scope).parent;
        }
        const auto known = m_groups.find(scope);
        std::uint32_t index = known == m_groups.end() ? kNoIndex : known->second;
        for (auto inner = unknown.rbegin(); inner != unknown.rend(); ++inner) {
            m_document.groups.push_back({m_sources.scope(*inner).name, index});
            index = static_cast<std::uint32_t>(m_document.groups.size() - 1);
            m_groups.emplace(*inner, index);
        }
        return index;
    }

private:
    StageDocument &m_document;
    const SourceMap &m_sources;
    std::map<ScopeId, std::uint32_t> m_groups;
};

// Finds the decision about an edge. Decisions are between computed nodes; the views in between belong to the same edge.
class Decisions {
public:
    Decisions(const Graph &graph, const Schedule *schedule) : m_graph(graph), m_schedule(schedule)
    {
        if (schedule == nullptr)
            return;
        m_users = graph.users();
        for (std::size_t i = 0; i < schedule->decisions.size(); ++i)
            m_decisions.try_emplace({schedule->decisions[i].producer, schedule->decisions[i].consumer}, i);
    }

    std::uint32_t of(NodeId from, NodeId to) const
    {
        if (m_schedule == nullptr || m_decisions.empty())
            return kNoIndex;
        NodeId producer = from;
        while (isPassedThrough(producer))
            producer = m_graph.node(producer).inputs.front();
        return search(producer, to);
    }

private:
    bool isPassedThrough(NodeId id) const
    {
        return familyOf(m_graph.node(id).kind) == NodeFamily::Movement && !m_schedule->kernelOf(id).isValid();
    }
    // Searches through views, depth first, first users first.
    std::uint32_t search(NodeId producer, NodeId to) const
    {
        std::set<NodeId> seen;
        std::vector<NodeId> pending{to};
        while (!pending.empty()) {
            const NodeId consumer = pending.back();
            pending.pop_back();
            if (!seen.insert(consumer).second)
                continue;
            if (const auto found = m_decisions.find({producer, consumer}); found != m_decisions.end())
                return ScheduleItems(*m_schedule).decision(found->second);
            if (!isPassedThrough(consumer))
                continue;
            const std::vector<NodeId> &users = m_users[consumer.value];
            pending.insert(pending.end(), users.rbegin(), users.rend());
        }
        return kNoIndex;
    }

    const Graph &m_graph;
    const Schedule *m_schedule;
    std::vector<std::vector<NodeId>> m_users;
    std::map<std::pair<NodeId, NodeId>, std::size_t> m_decisions;
};

std::string labelOf(const Node &node)
{
    if (const auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes))
        return placeholder->name;
    if (const auto *scalar = std::get_if<ScalarAttributes>(&node.attributes))
        return toText(scalar->value);
    return operationText(node);
}

DocumentItem itemOf(const Graph &graph, NodeId id, const Schedule *schedule)
{
    const Node &node = graph.node(id);
    const bool isSink = node.kind == NodeKind::Sink;
    DocumentItem item;
    item.label = labelOf(node);
    item.detail = isSink ? join(graph.outputNames(), ", ") : typeText(node.dtype, node.shape);
    item.fields = {{"node", format("%{}", id.value)}, {"operation", operationText(node)}};
    if (!isSink) {
        item.fields.push_back({"type", typeText(node.dtype, node.shape)});
        item.fields.push_back({"size", bytesText(node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype)))});
    }
    if (!node.name.empty())
        item.fields.push_back({"name", node.name});
    if (const std::string path = graph.sources().scopePath(node.scope); !path.empty())
        item.fields.push_back({"scope", path});
    addPlaceFields(item, graph.sources(), node.origin);
    item.tags = tagsOf(node);
    item.sources = sourcesOf(node.origin);
    if (schedule != nullptr) {
        const KernelId kernel = schedule->kernelOf(id);
        item.kernel = indexOf(kernel);
        if (kernel.isValid())
            item.fields.push_back({"kernel", schedule->kernel(kernel).name});
        const BufferId buffer = schedule->bufferOf(id);
        if (buffer.isValid())
            item.fields.push_back({"buffer", schedule->buffer(buffer).name});
        if (schedule->devices.size() > 1 && (kernel.isValid() || buffer.isValid())) {
            const DeviceSlot slot = kernel.isValid() ? schedule->kernel(kernel).device : schedule->buffer(buffer).device;
            item.fields.push_back({"device", schedule->device(slot).id});
        }
    }
    if (!isSink)
        item.node = id.value;
    return item;
}

} // namespace

StageDocumentPtr describeGraph(const Graph &graph, const Schedule *schedule, const std::stop_token &stop)
{
    StageDocument document;
    document.kind = StageKind::Graph;
    document.title = "Graph";
    Groups groups(document, graph.sources());
    const Decisions decisions(graph, schedule);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (stop.stop_requested())
            return std::make_shared<const StageDocument>(std::move(document));
        const NodeId id(i);
        const Node &node = graph.node(id);
        document.items.push_back(itemOf(graph, id, schedule));
        document.items.back().group = groups.groupOf(node.scope);
        for (const NodeId input : node.inputs) {
            const Node &from = graph.node(input);
            document.edges.push_back({input.value, id.value, typeText(from.dtype, from.shape), decisions.of(input, id)});
        }
    }
    for (const NodeId output : graph.outputs())
        if (auto &tags = document.items[output.value].tags; tags.back() != "output")
            tags.emplace_back("output");
    const GraphText text = printGraph(graph, {.maxTensorBytes = kMaxShownTensorBytes});
    addLines(document, text.text, [&](std::size_t number, std::string_view) {
        return text.lines.at(number).isValid() ? text.lines[number].value : kNoIndex;
    });
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
