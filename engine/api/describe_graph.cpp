#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/graph/printer.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

namespace sw {

namespace {

// Larger tensors are left out of the text that people see.
constexpr std::int64_t kMaxShownTensorBytes = 256;
constexpr const char *kOutputTag = "output";

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

std::vector<DocumentField> fieldsOf(const Graph &graph, NodeId id, const Schedule *schedule)
{
    const Node &node = graph.node(id);
    std::vector<DocumentField> fields;
    const auto add = [&](const char *name, std::string value) { fields.push_back({name, std::move(value)}); };
    add("node", format("%{}", id.value));
    add("operation", operationText(node));
    if (node.kind != NodeKind::Sink) {
        add("type", typeText(node.dtype, node.shape));
        add("size", bytesText(node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype))));
    }
    if (!node.name.empty())
        add("name", node.name);
    if (std::string path = graph.sources().scopePath(node.scope); !path.empty())
        add("scope", std::move(path));
    addPlaceFields(fields, graph.sources(), node.origin);
    if (schedule == nullptr)
        return fields;
    const KernelId kernel = schedule->kernelOf(id);
    if (kernel.isValid())
        add("kernel", schedule->kernel(kernel).name);
    const BufferId buffer = schedule->bufferOf(id);
    if (buffer.isValid())
        add("buffer", schedule->buffer(buffer).name);
    if (schedule->devices.size() > 1 && (kernel.isValid() || buffer.isValid())) {
        const DeviceSlot slot = kernel.isValid() ? schedule->kernel(kernel).device : schedule->buffer(buffer).device;
        add("device", schedule->device(slot).id);
    }
    return fields;
}

class GraphFields final : public ListMaker<DocumentField> {
public:
    GraphFields(GraphPtr graph, SchedulePtr schedule) : m_graph(std::move(graph)), m_schedule(std::move(schedule)) {}
    [[nodiscard]] std::vector<DocumentField> make(std::uint32_t number) const override
    {
        return fieldsOf(*m_graph, NodeId(number), m_schedule.get());
    }

private:
    GraphPtr m_graph;
    SchedulePtr m_schedule;
};

DocumentItem itemOf(const Graph &graph, NodeId id, const Schedule *schedule, const std::shared_ptr<const GraphFields> &fields)
{
    const Node &node = graph.node(id);
    const bool isSink = node.kind == NodeKind::Sink;
    DocumentItem item;
    item.label = labelOf(node);
    item.detail = isSink ? join(graph.outputNames(), ", ") : typeText(node.dtype, node.shape);
    item.fields = SharedList<DocumentField>::later(fields, id.value);
    item.tags = tagsOf(node);
    item.sources = sourcesOf(node.origin);
    if (schedule != nullptr)
        item.kernel = indexOf(schedule->kernelOf(id));
    if (!isSink)
        item.node = id.value;
    return item;
}

// Where the schedule puts a node, as its item tells it.
struct ItemPlace {
    KernelId kernel;
    std::string_view kernelName;
    std::string_view buffer;
    std::string_view device;
    bool operator==(const ItemPlace &) const = default;
};

ItemPlace placeOf(const Schedule *schedule, NodeId id)
{
    if (schedule == nullptr)
        return {};
    const KernelId kernel = schedule->kernelOf(id);
    const BufferId buffer = schedule->bufferOf(id);
    ItemPlace place{kernel, {}, {}, {}};
    if (kernel.isValid())
        place.kernelName = schedule->kernel(kernel).name;
    if (buffer.isValid())
        place.buffer = schedule->buffer(buffer).name;
    if (schedule->devices.size() > 1 && (kernel.isValid() || buffer.isValid()))
        place.device = schedule->device(kernel.isValid() ? schedule->kernel(kernel).device : schedule->buffer(buffer).device).id;
    return place;
}

// Whether their items differ in nothing but their numbers. What they read is said by edges.
bool saysTheSame(const Node &a, const Node &b)
{
    return a.kind == b.kind && a.op == b.op && a.dtype == b.dtype && a.scope == b.scope && a.name == b.name &&
           a.shape == b.shape && a.origin == b.origin && a.attributes == b.attributes;
}

// Finds the items of another graph's document that stand for the same: those in front of the first difference, and those behind
// the last.
class EarlierItems {
public:
    EarlierItems(const DescribedGraph *like, const Graph &graph, const Schedule *schedule)
        : m_like(like), m_graph(graph), m_schedule(schedule)
    {
        if (like == nullptr || like->graph.sourcesPtr() != graph.sourcesPtr() ||
            like->document.items.size() != like->graph.size())
            return;
        const std::size_t shorter = std::min(graph.size(), like->graph.size());
        while (m_first < shorter && isSame(m_first, m_first))
            ++m_first;
        while (m_last < shorter - m_first && isSame(graph.size() - 1 - m_last, like->graph.size() - 1 - m_last))
            ++m_last;
    }

    // The item of the node, as the other document has it; null: it has none.
    [[nodiscard]] const DocumentItem *of(std::size_t node) const
    {
        const bool isBehind = node >= m_first && node + m_last >= m_graph.size();
        if (node >= m_first && !isBehind)
            return nullptr;
        const std::size_t same = isBehind ? node + m_like->graph.size() - m_graph.size() : node;
        const DocumentItem &item = m_like->document.items[same];
        return item.tags.back() == kOutputTag ? nullptr : &item;
    }

private:
    [[nodiscard]] bool isSame(std::size_t node, std::size_t other) const
    {
        return saysTheSame(m_graph.node(NodeId(node)), m_like->graph.node(NodeId(other))) &&
               placeOf(m_schedule, NodeId(node)) == placeOf(m_like->schedule, NodeId(other));
    }

    const DescribedGraph *m_like;
    const Graph &m_graph;
    const Schedule *m_schedule;
    std::size_t m_first = 0; // how many are the same from the first on
    std::size_t m_last = 0;  // and how many up to the last
};

// An item with another number.
DocumentItem renumbered(const DocumentItem &earlier, NodeId id, bool isSink)
{
    DocumentItem item = earlier;
    item.place = {};
    item.group = kNoIndex;
    item.node = isSink ? kNoIndex : id.value;
    if (std::string number = format("%{}", id.value); item.fields.front().value != number)
        item.fields.edit().front().value = std::move(number);
    return item;
}

StageDocumentPtr describe(const DescribedGraph *like, const GraphPtr &given, const SchedulePtr &places,
                          const std::stop_token &stop)
{
    const Graph &graph = *given;
    const Schedule *schedule = places.get();
    const auto fields = std::make_shared<const GraphFields>(given, places);
    const EarlierItems earlier(like, graph, schedule);
    StageDocument document;
    document.kind = StageKind::Graph;
    document.title = "Graph";
    document.items.reserve(graph.size());
    Groups groups(document, graph.sources());
    const Decisions decisions(graph, schedule);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (stop.stop_requested())
            return std::make_shared<const StageDocument>(std::move(document));
        const NodeId id(i);
        const Node &node = graph.node(id);
        const DocumentItem *same = earlier.of(i);
        document.items.push_back(same ? renumbered(*same, id, node.kind == NodeKind::Sink) : itemOf(graph, id, schedule, fields));
        document.items.back().group = groups.groupOf(node.scope);
        for (const NodeId input : node.inputs) // its detail is its type: it is no sink
            document.edges.push_back({input.value, id.value, document.items[input.value].detail, decisions.of(input, id)});
    }
    for (const NodeId output : graph.outputs())
        if (auto &tags = document.items[output.value].tags; tags.back() != kOutputTag)
            tags.emplace_back(kOutputTag);
    const GraphText text = printGraph(graph, {.maxTensorBytes = kMaxShownTensorBytes});
    addLines(document, text.text, [&](std::size_t number, std::string_view) {
        return text.lines.at(number).isValid() ? text.lines[number].value : kNoIndex;
    });
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace

StageDocumentPtr describeGraph(const GraphPtr &graph, const SchedulePtr &schedule, const std::stop_token &stop)
{
    return describe(nullptr, graph, schedule, stop);
}

StageDocumentPtr describeGraph(const Graph &graph, const Schedule *schedule, const std::stop_token &stop)
{
    return withAllFields(describe(nullptr, notOwned(graph), notOwned(schedule), stop));
}

StageDocumentPtr describeGraphLike(const DescribedGraph &like, const Graph &graph, const Schedule *schedule,
                                   const std::stop_token &stop)
{
    return withAllFields(describe(&like, notOwned(graph), notOwned(schedule), stop));
}

} // namespace sw
