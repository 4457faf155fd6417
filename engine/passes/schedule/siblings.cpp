#include "engine/passes/schedule/siblings.h"

#include "engine/passes/schedule/kernel_search.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw {

namespace {

// Elements of a value that is so small that a kernel of its own costs more than the work.
constexpr std::int64_t kFewElements = 4096;
// Groups with the same value and shape that are tried for each group; keeps the search linear if one value has very many readers.
constexpr std::size_t kMaximumTries = 8;

class SiblingMerger {
public:
    SiblingMerger(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping)
        : m_graph(graph),
          m_flow(placed.flow),
          m_slots(placed.slots),
          m_context(context),
          m_facts(placed.facts),
          m_joins(placed.joins),
          m_grouping(std::move(grouping))
    {
        for (const KernelGroup &group : m_grouping.groups)
            m_loads.push_back(loadsOf(group));
        m_isGone.assign(m_grouping.groups.size(), false);
        for (std::uint32_t i = 0; i < m_grouping.groups.size(); ++i)
            if (m_grouping.groups[i].results.size() > 1)
                m_withSeveralResults.push_back(i);
    }

    Grouping merge() &&
    {
        if (m_context.options().fuse) {
            std::vector<std::uint32_t> order(m_grouping.groups.size());
            for (std::uint32_t i = 0; i < order.size(); ++i)
                order[i] = i;
            std::ranges::sort(order, {}, [this](std::uint32_t i) { return m_grouping.groups[i].root; });
            for (const std::uint32_t group : order) {
                if (m_context.isCancelled())
                    break; // the caller checks for it next
                mergeWithEarlier(group);
            }
        }
        return compacted();
    }

private:
    // Kernels in one bucket have a result shape and reductions in common, and read one large value; or, where that is invalid,
    // they are small and of the load phase.
    using Bucket = std::tuple<std::vector<std::int64_t>, std::string, NodeId>;

    [[nodiscard]] std::set<NodeId> loadsOf(const KernelGroup &group) const
    {
        std::set<NodeId> loads;
        for (const NodeId member : group.members)
            for (const Read &read : m_flow.reads[member.value])
                if (!isLiteral(m_graph, read))
                    loads.insert(read.producer);
        for (const NodeId member : group.members)
            loads.erase(member);
        return loads;
    }

    // The loops of its reductions; nothing when the kernel is better left alone.
    [[nodiscard]] std::optional<std::string> reductionsOf(const KernelGroup &group) const
    {
        const NodeKind root = m_graph.node(group.root).kind;
        if (m_flow.storedViews[group.root.value] != StoredView::No || isTransfer(root) || root == NodeKind::Kernel ||
            m_joins.isWhole(group.root))
            return std::nullopt;
        std::set<std::string> loops;
        for (const NodeId member : group.members) {
            const Node &node = m_graph.node(member);
            if (node.kind != NodeKind::ReduceAxis)
                continue;
            if (m_facts[member.value].isContraction)
                return std::nullopt;
            loops.insert(toText(m_graph.node(node.inputs[0]).shape) + "/" + join(attributesOf<AxesAttributes>(node).axes, ","));
        }
        return join(loops, " ");
    }

    void mergeWithEarlier(std::uint32_t later)
    {
        const KernelGroup &group = m_grouping.groups[later];
        const std::optional<std::string> reductions = reductionsOf(group);
        if (!reductions)
            return;
        const Shape &shape = m_graph.node(group.root).shape;
        const std::vector<std::int64_t> extents(shape.begin(), shape.end());
        const std::set<NodeId> loads = m_loads[later];
        for (const NodeId load : loads)
            if (m_graph.node(load).shape.elements() >= shape.elements())
                mergeInBucket(later, {extents, *reductions, load});
        if (m_flow.isOfLoad[group.root.value] && shape.elements() <= kFewElements)
            mergeInBucket(later, {extents, *reductions, NodeId()});
    }

    void mergeInBucket(std::uint32_t later, const Bucket &of)
    {
        std::vector<std::uint32_t> &bucket = m_buckets[of];
        const auto found = std::ranges::find_if(bucket, [&](std::uint32_t earlier) { return canMerge(earlier, later); });
        if (found != bucket.end())
            mergeInto(later, *found, std::get<NodeId>(of));
        std::erase_if(bucket, [this](std::uint32_t merged) { return m_isGone[merged]; });
        if (bucket.size() == kMaximumTries)
            bucket.erase(bucket.begin());
        bucket.push_back(later);
    }

    [[nodiscard]] bool canMerge(std::uint32_t earlier, std::uint32_t later)
    {
        if (m_isGone[earlier] || earlier == later || !m_context.mayRewrite())
            return false;
        const auto branchOf = [this](std::uint32_t group) { return m_flow.branches.of(m_grouping.groups[group].root); };
        const auto bodyOf = [this](std::uint32_t group) { return m_flow.scans.bodyOf(m_grouping.groups[group].root); };
        const auto isOfLoad = [this](std::uint32_t group) { return m_flow.isOfLoad[m_grouping.groups[group].root.value]; };
        const auto slotOf = [this](std::uint32_t group) { return m_slots[m_grouping.groups[group].root.value]; };
        if (slotOf(earlier) != slotOf(later) || isOfLoad(earlier) != isOfLoad(later) || bodyOf(earlier) != bodyOf(later) ||
            branchOf(earlier) != branchOf(later))
            return false;
        std::set<NodeId> buffers = m_loads[earlier];
        buffers.insert(m_loads[later].begin(), m_loads[later].end());
        const std::size_t results = m_grouping.groups[earlier].results.size() + m_grouping.groups[later].results.size();
        return buffers.size() + results <= kMaximumBuffers && !reaches(earlier, later) && !reaches(later, earlier);
    }

    [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to)
    {
        return m_search.reaches(from, to, m_grouping.groups.size(), m_withSeveralResults, [this](std::uint32_t number) {
            const KernelGroup &group = m_grouping.groups[number];
            return group.members.empty() ? SearchedKernel{} : SearchedKernel{group.members.front(), group.root, group.readers};
        });
    }

    static void addAll(std::vector<NodeId> &to, const std::vector<NodeId> &from)
    {
        to.insert(to.end(), from.begin(), from.end());
        std::ranges::sort(to);
    }

    void mergeInto(std::uint32_t later, std::uint32_t earlier, NodeId shared)
    {
        KernelGroup &kept = m_grouping.groups[later];
        const KernelGroup gone = std::move(m_grouping.groups[earlier]);
        record(kept.root, gone.root, shared);
        addAll(kept.members, gone.members);
        addAll(kept.results, gone.results);
        for (const std::uint32_t reader : gone.readers)
            if (std::ranges::find(kept.readers, reader) == kept.readers.end())
                kept.readers.push_back(reader);
        for (const NodeId member : gone.members)
            m_grouping.groupOf[member.value] = later;
        for (const NodeId load : m_loads[earlier]) {
            if (m_grouping.groupOf[load.value] == kNoGroup)
                continue;
            KernelGroup &group = m_grouping.groups[m_grouping.groupOf[load.value]];
            const bool readsKept = std::ranges::find(group.readers, later) != group.readers.end();
            const auto old = std::ranges::find(group.readers, earlier);
            if (old != group.readers.end() && readsKept)
                group.readers.erase(old);
            else if (old != group.readers.end())
                *old = later;
        }
        m_loads[later].insert(m_loads[earlier].begin(), m_loads[earlier].end());
        m_grouping.groups[earlier] = {};
        m_isGone[earlier] = true;
        std::erase(m_withSeveralResults, earlier);
        if (std::ranges::find(m_withSeveralResults, later) == m_withSeveralResults.end())
            m_withSeveralResults.push_back(later);
    }

    void record(NodeId kept, NodeId gone, NodeId shared)
    {
        const std::int64_t bytes = shared.isValid() ? m_graph.node(shared).shape.elements() *
                                                          static_cast<std::int64_t>(bytesOf(m_graph.node(shared).dtype))
                                                    : 0;
        m_grouping.decisions.push_back(
            {gone,
             kept,
             true,
             std::string(kSiblingRule),
             shared.isValid()
                 ? format("saves {} bytes of traffic: both read %{} over the same loops", bytes, shared.value)
                 : std::string("saves a kernel: both are small, of one shape, and computed when the program is loaded"),
             bytes,
             Origin::merged(m_graph.node(gone).origin, m_graph.node(kept).origin),
             {}});
        m_context.record(kSiblingRule, [&] {
            return RewriteDetail{
                format("%{} joins the kernel of %{}", gone.value, kept.value), {gone.value, kept.value}, {kept.value}};
        });
    }

    Grouping compacted()
    {
        compactGroups(m_grouping, m_isGone);
        return std::move(m_grouping);
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    PassContext &m_context;
    std::span<const NodeFacts> m_facts;
    const Joins &m_joins;
    Grouping m_grouping;
    std::vector<std::set<NodeId>> m_loads; // by group
    std::vector<bool> m_isGone;
    std::vector<std::uint32_t> m_withSeveralResults;
    KernelSearch m_search;
    std::map<Bucket, std::vector<std::uint32_t>> m_buckets;
};

} // namespace

Grouping withSiblingsMerged(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping)
{
    return SiblingMerger(graph, placed, context, std::move(grouping)).merge();
}

} // namespace sw
