#include "engine/graph/branches.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace sw {

namespace {

bool isIn(const Requirements &list, const Requirement &one)
{
    return std::ranges::find(list, one) != list.end();
}

void addTo(Requirements &list, const Requirement &one)
{
    if (!isIn(list, one))
        list.push_back(one);
}

class BranchFinder {
public:
    BranchFinder(const Graph &graph, const ScanMap &scans)
        : m_graph(graph), m_scans(scans), m_order(scanOrderOf(graph, scans)), m_needs(graph.size()), m_common(scans.scans.size())
    {
    }

    BranchMap find(std::span<const NodeId> roots) &&
    {
        for (const NodeId root : roots)
            need(root, {});
        for (std::size_t end = m_order.nodes.size(); end > 0;) {
            const std::size_t begin = beginOfUnit(end);
            if (scanAt(begin) != kNoScan)
                meetScan(scanAt(begin));
            for (std::size_t i = end; i > begin; --i)
                needInputs(m_order.nodes[i - 1]);
            end = begin;
        }
        BranchMap map;
        for (std::size_t end = 0; end < m_order.nodes.size();) {
            const std::size_t begin = end++;
            while (scanAt(begin) != kNoScan && end < m_order.nodes.size() && scanAt(end) == scanAt(begin))
                ++end;
            settleUnneeded({&m_order.nodes[begin], end - begin});
        }
        for (std::optional<Requirements> &needs : m_needs)
            map.nodes.push_back(std::move(needs).value_or(Requirements()));
        sortByDepth(map);
        return map;
    }

private:
    [[nodiscard]] std::uint32_t scanAt(std::size_t place) const
    {
        return m_order.scans.empty() ? kNoScan : m_order.scans[m_order.nodes[place].value];
    }

    [[nodiscard]] std::size_t beginOfUnit(std::size_t end) const
    {
        std::size_t begin = end - 1;
        if (scanAt(begin) != kNoScan)
            while (begin > 0 && scanAt(begin - 1) == scanAt(begin))
                --begin;
        return begin;
    }

    // Somebody needs the node where these hold: it requires no more than that.
    void need(NodeId id, const Requirements &where)
    {
        std::optional<Requirements> &known = m_needs[id.value];
        if (!known)
            known = where;
        else
            std::erase_if(*known, [&](const Requirement &one) { return !isIn(where, one); });
    }

    // All results of a scan are computed together, and what a step begins with is there before any of them.
    void meetScan(std::uint32_t scanIndex)
    {
        const Scan &scan = m_scans.scans[scanIndex];
        std::optional<Requirements> common;
        for (const auto *results : {&scan.lasts, &scan.rows})
            for (const NodeId id : *results)
                if (m_needs[id.value]) {
                    if (common)
                        std::erase_if(*common, [&](const Requirement &one) { return !isIn(*m_needs[id.value], one); });
                    else
                        common = *m_needs[id.value];
                }
        if (!common)
            return;
        m_common[scanIndex] = *common;
        for (const auto *nodes : {&scan.lasts, &scan.rows, &scan.carries})
            for (const NodeId id : *nodes)
                if (id.isValid())
                    m_needs[id.value] = *common;
    }

    void needInputs(NodeId id)
    {
        if (!m_needs[id.value])
            return;
        const Node &node = m_graph.node(id);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            // What comes from outside of a body is computed before it, whatever its steps decide.
            const std::uint32_t body = m_scans.bodyOf(id);
            const bool isFromOutside = body != kNoScan && m_scans.bodyOf(node.inputs[i]) != body;
            if (isFromOutside) {
                need(node.inputs[i], m_common[body]);
                continue;
            }
            Requirements where = *m_needs[id.value];
            if (node.kind == NodeKind::Choose && i > 0)
                addTo(where, {node.inputs[0], i == 1});
            need(node.inputs[i], where);
        }
    }

    // unit: a node, or all of a scan. No step of a scan that nobody needs is made without what any of its steps needs.
    void settleUnneeded(std::span<const NodeId> unit)
    {
        const bool isWhole = std::ranges::none_of(unit, [this](NodeId id) { return m_needs[id.value].has_value(); });
        Requirements all;
        for (const NodeId id : unit) {
            if (m_needs[id.value])
                continue;
            if (!isWhole)
                all.clear();
            for (const NodeId input : m_graph.node(id).inputs)
                for (const Requirement &one : m_needs[input.value].value_or(Requirements()))
                    addTo(all, one);
            if (!isWhole)
                m_needs[id.value] = all;
        }
        for (const NodeId id : unit)
            if (isWhole)
                m_needs[id.value] = all;
    }

    // A condition requires fewer things than what requires it.
    static void sortByDepth(BranchMap &map)
    {
        std::vector<std::size_t> depths;
        for (const Requirements &needs : map.nodes)
            depths.push_back(needs.size());
        for (Requirements &needs : map.nodes)
            std::ranges::sort(needs, {}, [&](const Requirement &one) {
                return std::tuple(depths[one.condition.value], one.condition, one.wanted);
            });
    }

    const Graph &m_graph;
    const ScanMap &m_scans;
    ScanOrder m_order;
    std::vector<std::optional<Requirements>> m_needs; // nothing: no root needs it, as far as is known
    std::vector<Requirements> m_common;               // by scan: of its results
};

} // namespace

std::optional<Requirements> eitherOf(const Requirements &a, const Requirements &b)
{
    Requirements common = a;
    std::erase_if(common, [&](const Requirement &one) { return !isIn(b, one); });
    if (common.size() == a.size() || common.size() == b.size())
        return common;
    const auto rest = [&](const Requirements &all) {
        return *std::ranges::find_if(all, [&](const Requirement &one) { return !isIn(common, one); });
    };
    // Both branches of one condition.
    const bool isOneMore = common.size() + 1 == a.size() && common.size() + 1 == b.size();
    return isOneMore && rest(a).condition == rest(b).condition ? std::optional(common) : std::nullopt;
}

bool areMet(const Requirements &requirements, std::span<const HostTensor> values)
{
    return std::ranges::all_of(requirements,
                               [&](const Requirement &one) { return values[one.condition.value].at(0).asBool() == one.wanted; });
}

BranchMap branchesOf(const Graph &graph, const ScanMap &scans, std::span<const NodeId> roots)
{
    if (std::ranges::none_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Choose; }))
        return {};
    return BranchFinder(graph, scans).find(roots);
}

} // namespace sw
