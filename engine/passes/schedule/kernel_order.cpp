#include "engine/passes/schedule/kernel_order.h"

#include "engine/passes/schedule/override_values.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace sw {

namespace {

// By group: the groups that run later.
using Successors = std::vector<std::vector<std::uint32_t>>;

// Lets the groups that are repeated together follow each other directly: all that one of them waits for comes before all of them,
// and all that waits for one of them comes after all of them.
void keepTogether(const std::vector<std::uint32_t> &repeats, std::size_t scans, Successors &later)
{
    std::vector<std::vector<std::uint32_t>> members(scans);
    std::vector<std::set<std::uint32_t>> before(scans);
    std::vector<std::set<std::uint32_t>> after(scans);
    for (std::uint32_t from = 0; from < later.size(); ++from) {
        if (repeats[from] != kNoScan)
            members[repeats[from]].push_back(from);
        for (const std::uint32_t to : later[from]) {
            if (repeats[from] == repeats[to])
                continue;
            if (repeats[from] != kNoScan)
                after[repeats[from]].insert(to);
            if (repeats[to] != kNoScan)
                before[repeats[to]].insert(from);
        }
    }
    for (std::size_t scan = 0; scan < scans; ++scan) {
        for (const std::uint32_t group : before[scan])
            later[group].insert(later[group].end(), members[scan].begin(), members[scan].end());
        for (const std::uint32_t member : members[scan])
            later[member].insert(later[member].end(), after[scan].begin(), after[scan].end());
    }
}

// What depends on a condition waits for it.
void addConditions(const Dataflow &flow, const Grouping &grouping, Successors &later)
{
    for (std::uint32_t group = 0; group < later.size(); ++group)
        for (const Requirement &required : flow.branches.of(grouping.groups[group].root)) {
            const std::uint32_t from = grouping.groupOf[holderOf(flow, required.condition).value];
            if (from != kNoGroup)
                later[from].push_back(group);
        }
}

// repeats: by group.
std::vector<std::uint32_t> orderOf(const std::vector<KernelGroup> &groups, const Successors &later,
                                   const std::vector<std::uint32_t> &repeats)
{
    std::vector<std::size_t> waitsFor(groups.size(), 0);
    for (const std::vector<std::uint32_t> &some : later)
        for (const std::uint32_t one : some)
            ++waitsFor[one];
    using Entry = std::pair<NodeId, std::uint32_t>;
    using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
    Queue ready;
    Queue readyInRepeat; // of the scan whose groups are being placed
    std::uint32_t current = kNoScan;
    const auto add = [&](std::uint32_t group) {
        const bool isNext = current != kNoScan && repeats[group] == current;
        (isNext ? readyInRepeat : ready).emplace(groups[group].root, group);
    };
    for (std::uint32_t i = 0; i < groups.size(); ++i)
        if (waitsFor[i] == 0)
            add(i);
    std::vector<std::uint32_t> order;
    while (!ready.empty() || !readyInRepeat.empty()) {
        Queue &from = readyInRepeat.empty() ? ready : readyInRepeat;
        const std::uint32_t next = from.top().second;
        from.pop();
        order.push_back(next);
        if (repeats[next] != current) {
            current = repeats[next];
            Queue others = std::exchange(ready, {});
            for (; current != kNoScan && !others.empty(); others.pop())
                add(others.top().second);
            if (current == kNoScan)
                ready = std::move(others);
        }
        for (const std::uint32_t one : later[next])
            if (--waitsFor[one] == 0)
                add(one);
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

std::uint32_t repeatOf(const Graph &graph, const Dataflow &flow, NodeId root)
{
    const Node &node = graph.node(root);
    if (node.kind == NodeKind::ScanCarry)
        return kNoScan; // begins with a copy before the first step
    if (node.kind != NodeKind::ScanLast && node.kind != NodeKind::ScanRows)
        return flow.scans.bodyOf(root);
    const ScanAttributes &scan = scanAttributesOf(node);
    const bool isLast = node.kind == NodeKind::ScanLast;
    // What a step hands on as it got it is overwritten when the step ends, so it is taken before; anything else once, after all.
    const bool isOver =
        isLast && graph.node(holderOf(flow, node.inputs[static_cast<std::size_t>(scan.index)])).kind != NodeKind::ScanCarry;
    return isOver ? kNoScan : flow.scans.numbered(scan.scan);
}

std::vector<std::uint32_t> orderKernels(const Graph &graph, const Dataflow &flow, Grouping &grouping, const Overrides &overrides)
{
    Successors later;
    for (const KernelGroup &group : grouping.groups)
        later.push_back(group.readers);
    addConditions(flow, grouping, later);
    std::vector<std::uint32_t> repeats;
    for (const KernelGroup &group : grouping.groups)
        repeats.push_back(repeatOf(graph, flow, group.root));
    keepTogether(repeats, flow.scans.scans.size(), later);
    std::vector<std::uint32_t> order = orderOf(grouping.groups, later, repeats);
    const auto isOrder = [](const Override &item) { return item.kind == OverrideKind::Order && item.isOn; };
    if (std::ranges::none_of(overrides.items, isOrder))
        return order;
    std::vector<std::size_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        places[order[i]] = i;
    const OrderOverrides wishes(graph, flow, grouping);
    for (std::size_t i = 0; i < overrides.items.size(); ++i) {
        if (!isOrder(overrides.items[i]))
            continue;
        grouping.overrides[i] = wishes.apply(overrides.items[i], later, places);
        keepTogether(repeats, flow.scans.scans.size(), later);
    }
    return orderOf(grouping.groups, later, repeats);
}

} // namespace sw
