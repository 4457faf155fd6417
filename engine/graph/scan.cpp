#include "engine/graph/scan.h"

#include "engine/graph/builder_scans.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace sw {

namespace {

bool isResult(NodeKind kind)
{
    return kind == NodeKind::ScanLast || kind == NodeKind::ScanRows;
}

// What a step hands on, as a result of the scan has it.
std::span<const NodeId> nextsIn(const Node &result)
{
    const std::span<const NodeId> inputs(result.inputs);
    return result.kind == NodeKind::ScanRows ? inputs.first(inputs.size() - 1) : inputs;
}

void addNode(Scan &scan, NodeId id, const Node &node)
{
    const ScanAttributes &attributes = scanAttributesOf(node);
    if (isResult(node.kind) && scan.lasts.empty() && scan.rows.empty())
        scan.nexts.assign(nextsIn(node).begin(), nextsIn(node).end());
    if (node.kind == NodeKind::ScanSlice) {
        scan.slices.push_back(id);
    } else if (node.kind == NodeKind::ScanLast) {
        scan.lasts.push_back(id);
    } else if (node.kind == NodeKind::ScanRows) {
        scan.rows.push_back(id);
    } else if (attributes.index >= 0) { // else it is an error of the node's own
        const auto place = static_cast<std::size_t>(attributes.index);
        if (scan.carries.size() <= place)
            scan.carries.resize(place + 1);
        if (!scan.carries[place].isValid())
            scan.carries[place] = id;
    }
}

class ScanVerifier {
public:
    explicit ScanVerifier(const Graph &graph) : m_graph(graph), m_map(scansOf(graph)) {}

    Diagnostics verify() &&
    {
        if (m_map.scans.empty())
            return {};
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            checkNode(NodeId(i));
        for (std::uint32_t i = 0; i < m_map.scans.size(); ++i)
            checkScan(i);
        return std::move(m_errors);
    }

private:
    template <class... Args>
    void report(NodeId id, Code code, fmt::format_string<Args...> pattern, Args &&...args)
    {
        const Node &node = m_graph.node(id);
        m_errors.push_back(Diagnostic::error(code, m_graph.sources().programRange(node.origin), "%{} {} {}", id.value,
                                             operationText(node), sw::format(pattern, std::forward<Args>(args)...)));
    }

    // Checks which bodies the node reads.
    void checkNode(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const std::uint32_t own = isOfScan(node.kind) ? m_map.numbered(scanAttributesOf(node).scan) : m_map.bodyOf(id);
        for (const NodeId input : node.inputs) {
            const std::uint32_t body = m_map.bodyOf(input);
            if (body == kNoScan)
                continue;
            if (node.kind == NodeKind::Sink)
                report(input, Code::InvalidIr, "is an output, but has a value in each step of scan {}", m_map.scans[body].number);
            else if (body != own || (isOfScan(node.kind) && !isResult(node.kind)))
                report(id, Code::Unsupported,
                       "reads %{} of the body of scan {}: a scan in the body of another one is not supported", input.value,
                       m_map.scans[body].number);
        }
    }

    void checkScan(std::uint32_t index)
    {
        const Scan &scan = m_map.scans[index];
        const NodeId some = firstOf(scan);
        if (scan.lasts.empty() && scan.rows.empty())
            return; // nobody needs it
        if (scan.carries.size() > scan.nexts.size())
            report(some, Code::InvalidIr, "is of a scan with {} carried values, and a step hands on {}", scan.carries.size(),
                   scan.nexts.size());
        for (std::size_t i = 0; i < std::min(scan.carries.size(), scan.nexts.size()); ++i)
            checkCarry(scan, i);
        checkCondition(scan, some);
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            checkMember(index, NodeId(i));
    }

    [[nodiscard]] static NodeId firstOf(const Scan &scan)
    {
        NodeId first;
        for (const auto *nodes : {&scan.carries, &scan.slices, &scan.lasts, &scan.rows})
            for (const NodeId id : *nodes)
                if (id.isValid() && (!first.isValid() || id < first))
                    first = id;
        return first;
    }

    void checkCarry(const Scan &scan, std::size_t index)
    {
        if (!scan.carries[index].isValid())
            return;
        const Node &carry = m_graph.node(scan.carries[index]);
        const Node &next = m_graph.node(scan.nexts[index]);
        if (carry.dtype != next.dtype || carry.shape != next.shape)
            report(scan.carries[index], Code::ShapeMismatch, "is {}, but a step hands on %{}, {}",
                   typeText(carry.dtype, carry.shape), scan.nexts[index].value, typeText(next.dtype, next.shape));
    }

    void checkCondition(const Scan &scan, NodeId some)
    {
        if (scan.condition == kNoCondition)
            return;
        const auto place = static_cast<std::size_t>(scan.condition);
        if (place >= scan.nexts.size()) {
            report(some, Code::InvalidIr, "is of a scan that carried value {} ends, which there is not", scan.condition);
            return;
        }
        const Node &next = m_graph.node(scan.nexts[place]);
        if (next.dtype != DType::Bool || next.shape.rank() != 0)
            report(scan.nexts[place], Code::InvalidIr, "is {}, expected the one bool that ends scan {}",
                   typeText(next.dtype, next.shape), scan.number);
    }

    void checkMember(std::uint32_t index, NodeId id)
    {
        const Scan &scan = m_map.scans[index];
        const Node &node = m_graph.node(id);
        for (const auto *results : {&scan.lasts, &scan.rows})
            if (m_map.bodyOf(id) == index && !results->empty() && results->front() < id)
                report(id, Code::InvalidIr, "is of the body of scan {} and comes after %{}, which the whole scan gives",
                       scan.number, results->front().value);
        if (!isOfScan(node.kind) || scanAttributesOf(node).scan != scan.number)
            return;
        if (scanAttributesOf(node).steps != scan.steps)
            report(id, Code::InvalidIr, "has {} steps, and scan {} has {}", scanAttributesOf(node).steps, scan.number,
                   scan.steps);
        if (scanAttributesOf(node).condition != scan.condition)
            report(id, Code::InvalidIr, "is ended by carried value {}, and scan {} by {}", scanAttributesOf(node).condition,
                   scan.number, scan.condition);
        const auto place = static_cast<std::size_t>(scanAttributesOf(node).index);
        if (node.kind == NodeKind::ScanCarry && scan.carries[place] != id)
            report(id, Code::InvalidIr, "is carried value {} of scan {}, as %{} is", place, scan.number,
                   scan.carries[place].value);
        if (isResult(node.kind) && !std::ranges::equal(nextsIn(node), scan.nexts))
            report(id, Code::InvalidIr, "does not have the next values of other results of scan {}", scan.number);
    }

    const Graph &m_graph;
    ScanMap m_map;
    Diagnostics m_errors;
};

// Gives each scan one unit, and each other node one, and sorts the units.
class ScanSorter {
public:
    ScanSorter(const Graph &graph, const ScanMap &map) : m_graph(graph), m_map(map) {}

    ScanOrder sorted() &&
    {
        findMembers();
        const std::size_t count = m_graph.size() - 1;
        std::vector<std::vector<std::uint32_t>> later(count);
        std::vector<std::size_t> waitsFor(count, 0);
        for (std::uint32_t i = 0; i < count; ++i)
            for (const NodeId input : m_graph.nodes()[i].inputs)
                if (unitOf(input.value) != unitOf(i)) {
                    later[unitOf(input.value)].push_back(unitOf(i));
                    ++waitsFor[unitOf(i)];
                }
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
        for (std::uint32_t i = 0; i < count; ++i)
            if (unitOf(i) == i && waitsFor[i] == 0)
                ready.push(i);
        while (!ready.empty()) {
            const std::uint32_t unit = ready.top();
            ready.pop();
            add(unit);
            for (const std::uint32_t next : later[unit])
                if (--waitsFor[next] == 0)
                    ready.push(next);
        }
        SW_ASSERT(m_order.nodes.size() == count, "scans that were verified");
        return std::move(m_order);
    }

private:
    void findMembers()
    {
        m_order.scans = m_map.bodies;
        m_members.resize(m_map.scans.size());
        for (std::uint32_t i = 0; i < m_map.scans.size(); ++i)
            for (const auto *results : {&m_map.scans[i].lasts, &m_map.scans[i].rows})
                for (const NodeId id : *results)
                    m_order.scans[id.value] = i;
        for (std::size_t i = 0; i < m_order.scans.size(); ++i)
            if (m_order.scans[i] != kNoScan)
                m_members[m_order.scans[i]].emplace_back(i);
    }

    // A unit has the number of its first node.
    [[nodiscard]] std::uint32_t unitOf(std::uint32_t node) const
    {
        const std::uint32_t scan = m_order.scans[node];
        return scan == kNoScan ? node : m_members[scan].front().value;
    }

    void add(std::uint32_t unit)
    {
        const std::uint32_t scan = m_order.scans[unit];
        if (scan == kNoScan)
            m_order.nodes.emplace_back(unit);
        else
            m_order.nodes.insert(m_order.nodes.end(), m_members[scan].begin(), m_members[scan].end());
    }

    const Graph &m_graph;
    const ScanMap &m_map;
    std::vector<std::vector<NodeId>> m_members; // by scan, in graph order
    ScanOrder m_order;
};

// nodes: a graph, or a builder.
template <class Nodes>
ScanMap scansAmong(const Nodes &nodes)
{
    ScanMap map;
    std::map<std::int64_t, std::uint32_t> byNumber;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = nodes.node(NodeId(i));
        if (!isOfScan(node.kind))
            continue;
        const ScanAttributes &attributes = scanAttributesOf(node);
        const auto [found, isNew] = byNumber.emplace(attributes.scan, map.scans.size());
        if (isNew) {
            map.scans.emplace_back().number = attributes.scan;
            map.scans.back().steps = attributes.steps;
            map.scans.back().condition = attributes.condition;
        }
        addNode(map.scans[found->second], NodeId(i), node);
    }
    if (map.scans.empty())
        return map;
    map.bodies.assign(nodes.size(), kNoScan);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = nodes.node(NodeId(i));
        if (node.kind == NodeKind::Sink || isResult(node.kind))
            continue;
        if (isOfScan(node.kind)) {
            map.bodies[i] = byNumber.at(scanAttributesOf(node).scan);
            continue;
        }
        for (const NodeId input : node.inputs)
            if (map.bodies[i] == kNoScan)
                map.bodies[i] = map.bodies[input.value];
    }
    return map;
}

} // namespace

const ScanAttributes &scanAttributesOf(const Node &node)
{
    return attributesOf<ScanAttributes>(node);
}

std::string stepsText(std::int64_t steps)
{
    return steps >= kUnboundedSteps ? "unbounded" : format("{}", steps);
}

std::int64_t unusedScanNumber(const GraphBuilder &builder)
{
    std::int64_t number = 0;
    for (std::size_t i = 0; i < builder.size(); ++i)
        if (const auto *scan = std::get_if<ScanAttributes>(&builder.node(NodeId(i)).attributes))
            number = std::max(number, scan->scan + 1);
    return number;
}

ScanMap scansOf(const Graph &graph)
{
    return scansAmong(graph);
}

ScanMap scansOf(const GraphBuilder &builder)
{
    return scansAmong(builder);
}

Diagnostics verifyScans(const Graph &graph)
{
    return ScanVerifier(graph).verify();
}

ScanOrder scanOrderOf(const Graph &graph, const ScanMap &map)
{
    if (!map.scans.empty())
        return ScanSorter(graph, map).sorted();
    ScanOrder order;
    for (std::size_t i = 0; i + 1 < graph.size(); ++i)
        order.nodes.emplace_back(i);
    return order;
}

} // namespace sw
