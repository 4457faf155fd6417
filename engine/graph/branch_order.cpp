#include "engine/graph/branch_order.h"

#include <functional>
#include <queue>

namespace sw {

namespace {

// before: by item, the items that it follows. Keeps the order of the items where there is a choice.
std::vector<std::uint32_t> sorted(const std::vector<std::vector<std::uint32_t>> &before)
{
    std::vector<std::vector<std::uint32_t>> later(before.size());
    std::vector<std::size_t> waitsFor(before.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        waitsFor[i] = before[i].size();
        for (const std::uint32_t other : before[i])
            later[other].push_back(i);
        if (before[i].empty())
            ready.push(i);
    }
    std::vector<std::uint32_t> made;
    while (!ready.empty()) {
        made.push_back(ready.top());
        ready.pop();
        for (const std::uint32_t next : later[made.back()])
            if (--waitsFor[next] == 0)
                ready.push(next);
    }
    SW_ASSERT(made.size() == before.size(), "no condition depends on what it decides about");
    return made;
}

// What a node reads, and what decides about it.
template <class Add>
void forEachBefore(const Graph &graph, const BranchMap &branches, NodeId id, Add add)
{
    for (const NodeId input : graph.node(id).inputs)
        add(input);
    for (const Requirement &one : branches.of(id))
        add(one.condition);
}

} // namespace

ScanOrder withConditionsFirst(const Graph &graph, ScanOrder order, const BranchMap &branches)
{
    if (branches.nodes.empty())
        return order;
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    const auto scanOf = [&](NodeId id) { return order.scans.empty() ? kNoScan : order.scans[id.value]; };
    std::vector<std::vector<NodeId>> units;
    std::vector<std::uint32_t> unitOf(graph.size(), kNone);
    std::vector<std::uint32_t> placeOf(graph.size(), 0); // in its unit
    for (const NodeId id : order.nodes) {
        const bool isSame = !units.empty() && scanOf(id) != kNoScan && scanOf(units.back().back()) == scanOf(id);
        if (!isSame)
            units.emplace_back();
        unitOf[id.value] = static_cast<std::uint32_t>(units.size() - 1);
        placeOf[id.value] = static_cast<std::uint32_t>(units.back().size());
        units.back().push_back(id);
    }
    std::vector<std::vector<std::uint32_t>> before(units.size());
    for (std::uint32_t unit = 0; unit < units.size(); ++unit)
        for (const NodeId id : units[unit])
            forEachBefore(graph, branches, id, [&](NodeId other) {
                if (unitOf[other.value] != unit && unitOf[other.value] != kNone)
                    before[unit].push_back(unitOf[other.value]);
            });
    order.nodes.clear();
    for (const std::uint32_t unit : sorted(before)) {
        std::vector<std::vector<std::uint32_t>> within(units[unit].size());
        for (std::uint32_t place = 0; place < within.size(); ++place)
            forEachBefore(graph, branches, units[unit][place], [&](NodeId other) {
                if (unitOf[other.value] == unit)
                    within[place].push_back(placeOf[other.value]);
            });
        for (const std::uint32_t place : sorted(within))
            order.nodes.push_back(units[unit][place]);
    }
    return order;
}

} // namespace sw
