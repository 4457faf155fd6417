#include "engine/passes/schedule/kernel_order.h"

#include "engine/passes/schedule/override_values.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

namespace sw {

namespace {

// By group: the groups that run later.
using Successors = std::vector<std::vector<std::uint32_t>>;

std::vector<std::uint32_t> orderOf(const std::vector<KernelGroup> &groups, const Successors &later)
{
    std::vector<std::size_t> waitsFor(groups.size(), 0);
    for (const std::vector<std::uint32_t> &some : later)
        for (const std::uint32_t one : some)
            ++waitsFor[one];
    using Entry = std::pair<NodeId, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < groups.size(); ++i)
        if (waitsFor[i] == 0)
            ready.emplace(groups[i].root, i);
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
        const std::uint32_t next = ready.top().second;
        ready.pop();
        order.push_back(next);
        for (const std::uint32_t one : later[next])
            if (--waitsFor[one] == 0)
                ready.emplace(groups[one].root, one);
    }
    SW_ASSERT(order.size() == groups.size(), "kernel groups without a cycle");
    return order;
}

// Whether `to` has to run after `from`.
bool leadsTo(const Successors &later, std::uint32_t from, std::uint32_t to)
{
    std::vector<bool> isSeen(later.size(), false);
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == to)
            return true;
        for (const std::uint32_t next : later[at])
            if (!isSeen[next]) {
                isSeen[next] = true;
                open.push_back(next);
            }
    }
    return false;
}

class OrderOverrides {
public:
    OrderOverrides(const Graph &graph, const Dataflow &flow, Grouping &grouping)
        : m_paths(graph), m_flow(flow), m_grouping(grouping)
    {
    }

    // Adds what the override asks for. `places`: of the groups in the order without overrides.
    [[nodiscard]] OverrideOutcome apply(const Override &item, Successors &later, const std::vector<std::size_t> &places) const
    {
        OverrideOutcome problem;
        const std::optional<std::uint32_t> first = groupOf(item.value, problem);
        const std::optional<std::uint32_t> second = first ? groupOf(item.reader, problem) : std::nullopt;
        if (!second)
            return problem;
        if (first == second)
            return {OverrideState::Refused, format("one kernel computes both {} and {}", item.value, item.reader)};
        if (leadsTo(later, *second, *first))
            return {OverrideState::Refused,
                    format("the kernel of {} has to run first: the other one reads its results, or an earlier override says so",
                           item.reader)};
        later[*first].push_back(*second);
        if (places[*first] < places[*second])
            return {OverrideState::NoChange, "the kernels run in this order anyway"};
        return {OverrideState::Applied, {}};
    }

private:
    [[nodiscard]] std::optional<std::uint32_t> groupOf(const std::string &path, OverrideOutcome &problem) const
    {
        const NodeId value = m_paths.find(path);
        if (!value.isValid()) {
            problem = unknownValue(m_paths, path);
            return std::nullopt;
        }
        const std::uint32_t group = m_grouping.groupOf[computedFor(m_flow, value).value];
        if (group == kNoGroup) {
            problem = {OverrideState::Refused, format("no kernel computes {}", path)};
            return std::nullopt;
        }
        return group;
    }

    ValuePaths m_paths;
    const Dataflow &m_flow;
    const Grouping &m_grouping;
};

} // namespace

std::vector<std::uint32_t> orderKernels(const Graph &graph, const Dataflow &flow, Grouping &grouping, const Overrides &overrides)
{
    Successors later;
    for (const KernelGroup &group : grouping.groups)
        later.push_back(group.readers);
    std::vector<std::uint32_t> order = orderOf(grouping.groups, later);
    const auto isOrder = [](const Override &item) { return item.kind == OverrideKind::Order && item.isOn; };
    if (std::ranges::none_of(overrides.items, isOrder))
        return order;
    std::vector<std::size_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        places[order[i]] = i;
    const OrderOverrides wishes(graph, flow, grouping);
    for (std::size_t i = 0; i < overrides.items.size(); ++i)
        if (isOrder(overrides.items[i]))
            grouping.overrides[i] = wishes.apply(overrides.items[i], later, places);
    return orderOf(grouping.groups, later);
}

} // namespace sw
