#include "engine/passes/schedule/stages.h"

#include "engine/passes/graph/device_slots.h"
#include "engine/passes/schedule/block_rows.h"
#include "engine/passes/schedule/fusion_overrides.h"
#include "engine/passes/schedule/kept_values.h"
#include "engine/passes/schedule/kernel_search.h"
#include "engine/passes/schedule/policy_numbers.h"
#include "engine/passes/schedule/stage_rows.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// The rules that speak of loops that do not fit into one nest, or of values that would be computed again: stages do neither.
constexpr std::array<std::string_view, 5> kRulesOfOneNest = {"reduction-into-reduction", "reduction-reread", "contraction",
                                                             "recompute", "cat"};

// A value so many times as large as what becomes of it grows faster than that.
constexpr double kTimesResult = 16;

class StageMerger {
public:
    StageMerger(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping)
        : m_graph(graph),
          m_flow(placed.flow),
          m_slots(placed.slots),
          m_facts(placed.facts),
          m_context(context),
          m_overrides(graph, placed.flow, context.options().overrides),
          m_grouping(std::move(grouping)),
          m_isOfNarrowFactor(graph.size(), false),
          m_isGone(m_grouping.groups.size(), false)
    {
        for (const FusionDecision &decision : m_grouping.decisions)
            if (decision.isFused && decision.rule == kNarrowFactorRule)
                m_isOfNarrowFactor[decision.producer.value] = true;
        for (std::uint32_t i = 0; i < m_grouping.groups.size(); ++i)
            if (m_grouping.groups[i].results.size() > 1)
                m_withSeveralResults.push_back(i);
    }

    // From the outputs to the inputs: a group joins the one that reads it, with what has joined that before.
    Grouping merge() &&
    {
        std::vector<std::uint32_t> order(m_grouping.groups.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::sort(order, std::ranges::greater(), [this](std::uint32_t i) { return m_grouping.groups[i].root; });
        for (const std::uint32_t group : order) {
            if (m_context.isCancelled())
                break; // the caller checks for it next
            consider(group);
        }
        return compacted();
    }

private:
    // What merging a group into its reader's kernel means.
    struct Plan {
        std::uint32_t reader = kNoGroup;
        std::size_t rowAxes = 0;
        BlockOf what = BlockOf::Rows;
        std::int64_t bytes = 0;     // of the value
        std::int64_t rowBytes = 0;  // that the kernel keeps for each row
        std::int64_t leastRows = 1; // of a block
        std::int64_t blockRows = 0; // 0: a block does not fit
        double rows = 1;
        double blocks = 0;
        double besideBytes = 0;        // that the stages read anew for each block
        bool isTooLarge = false;       // to be stored, whatever speaks for it
        bool hasTensorProduct = false; // the kernel of one of the two may be done by a tensor instruction
        const DeviceInfo *device = nullptr;
    };

    [[nodiscard]] std::vector<FusionDecision *> decisionsOn(NodeId producer)
    {
        std::vector<FusionDecision *> found;
        for (FusionDecision &decision : m_grouping.decisions)
            if (decision.producer == producer)
                found.push_back(&decision);
        return found;
    }

    // The one other group that reads the value; nothing: it is an output, or there are more of them.
    [[nodiscard]] std::optional<std::uint32_t> onlyReaderOf(NodeId value, std::uint32_t number) const
    {
        std::optional<std::uint32_t> found;
        for (const Read &read : m_flow.readers[value.value]) {
            const std::uint32_t reader = m_grouping.groupOf[read.consumer.value];
            if (reader == number || reader == found)
                continue;
            if (found)
                return std::nullopt;
            found = reader;
        }
        return m_flow.isOutput[value.value] ? std::nullopt : found;
    }

    // What others need beside the value is one element for each row, such as its maximum, and no kernel needs that before the
    // reader can run.
    [[nodiscard]] bool mayStoreBeside(const KernelGroup &group, std::uint32_t number, const Plan &plan)
    {
        const Shape &rows = m_graph.node(group.root).shape;
        for (const KernelGroup *each : {&group, std::as_const(m_grouping.groups).data() + plan.reader})
            for (const NodeId result : each->results)
                if (result != each->root &&
                    !(isOneForEachRow(m_graph.node(result).shape, rows, plan.rowAxes) && isOnTheWay(result, *each)))
                    return false;
        const auto kernelAt = [this](std::uint32_t at) {
            const KernelGroup &kernel = m_grouping.groups[at];
            return kernel.members.empty() ? SearchedKernel{}
                                          : SearchedKernel{kernel.members.front(), kernel.root, kernel.readers};
        };
        return std::ranges::all_of(group.readers, [&](std::uint32_t other) {
            return other == plan.reader || other == number ||
                   !m_search.reaches(other, plan.reader, m_grouping.groups.size(), m_withSeveralResults, kernelAt);
        });
    }

    // Whether a stage, or the last one, needs it. A sibling of the root is needed by none.
    [[nodiscard]] bool isOnTheWay(NodeId result, const KernelGroup &group) const
    {
        const auto needs = [&](NodeId root) {
            const std::vector<NodeId> members = stageMembersOf(m_flow, group, root);
            return std::ranges::binary_search(members, result);
        };
        return needs(group.root) || std::ranges::any_of(group.stages, needs);
    }

    // What the rows of the value and of all stages have in common; nothing when they have none, or when more than its one reader
    // needs the value.
    [[nodiscard]] std::optional<Plan> planFor(const KernelGroup &group, std::uint32_t number)
    {
        const std::optional<std::uint32_t> onlyReader = onlyReaderOf(group.root, number);
        if (!onlyReader || std::ranges::find(group.results, group.root) == group.results.end())
            return std::nullopt;
        Plan plan{.reader = *onlyReader};
        const KernelGroup &reader = m_grouping.groups[plan.reader];
        const DeviceInfo &device = m_context.device(m_slots[group.root.value]);
        const bool storesRoot = std::ranges::find(reader.results, reader.root) != reader.results.end();
        if (!storesRoot || device.kind == DeviceKind::Gpu || m_slots[reader.root.value] != m_slots[group.root.value] ||
            reader.stages.size() + group.stages.size() + 1 > kMaximumStages)
            return std::nullopt;
        plan.device = &device;
        std::vector<NodeId> roots = reader.stages;
        roots.push_back(reader.root);
        plan.rowAxes = reader.stages.empty() ? m_graph.node(reader.root).shape.rank() : reader.rowAxes;
        std::vector<StageReads> reads;
        for (const NodeId root : roots) {
            const std::vector<NodeId> members = stageMembersOf(m_flow, reader, root);
            reads.emplace_back(m_graph, m_flow, root, members);
            const auto readsValue = [&](NodeId member) {
                return std::ranges::any_of(m_flow.reads[member.value],
                                           [&](const Read &read) { return read.producer == group.root; });
            };
            if (std::ranges::any_of(members, readsValue))
                plan.rowAxes = std::min(plan.rowAxes, reads.back().rowAxesFor(group.root));
        }
        // A register tile goes along rows and within them, so a contraction needs several elements there.
        if (m_facts[group.root.value].carriesContraction)
            while (plan.rowAxes > 0 && rowElementsOf(group.root, plan.rowAxes) == 1)
                --plan.rowAxes;
        if (plan.rowAxes == 0 || !mayStoreBeside(group, number, plan))
            return std::nullopt;
        reads.emplace_back(m_graph, m_flow, group.root, group.members);
        addCosts(plan, group, reader, reads);
        const auto isOfNarrowFactor = [&](NodeId member) { return m_isOfNarrowFactor[member.value]; };
        plan.hasTensorProduct =
            std::ranges::any_of(group.members, isOfNarrowFactor) || std::ranges::any_of(reader.members, isOfNarrowFactor);
        // One row is no row among others: a convolution over all channels of one image.
        return plan.what == BlockOf::PaddedImage && plan.rows <= 1 ? std::nullopt : std::optional(plan);
    }

    [[nodiscard]] std::int64_t rowElementsOf(NodeId value, std::size_t rowAxes) const
    {
        const Shape &shape = m_graph.node(value).shape;
        std::int64_t elements = 1;
        for (std::size_t axis = rowAxes; axis < shape.rank(); ++axis)
            elements *= shape[axis];
        return elements;
    }

    void addCosts(Plan &plan, const KernelGroup &group, const KernelGroup &reader, const std::vector<StageReads> &reads) const
    {
        const Shape &shape = m_graph.node(group.root).shape;
        for (std::size_t axis = 0; axis < plan.rowAxes; ++axis)
            plan.rows *= static_cast<double>(shape[axis]);
        const Node &value = m_graph.node(group.root);
        plan.bytes = value.shape.elements() * static_cast<std::int64_t>(bytesOf(value.dtype));
        const KernelGroup both = together(reader, group, plan.rowAxes);
        plan.what = whatBlocksHave(m_graph, both.stages);
        plan.rowBytes = keptRowBytesOf(m_graph, m_flow, both);
        for (const StageReads &stage : reads)
            plan.besideBytes += stage.bytesBesideRows(plan.rowAxes - 1);
        const Node &result = m_graph.node(reader.root);
        const double resultBytes = static_cast<double>(result.shape.elements()) * static_cast<double>(bytesOf(result.dtype));
        plan.isTooLarge = plan.what == BlockOf::Rows && areTooManyToStore(plan.rowBytes, plan.rows) &&
                          static_cast<double>(plan.bytes) >= kTimesResult * resultBytes;
        plan.leastRows = plan.isTooLarge ? 1 : leastBlockRows(plan.rowBytes, plan.besideBytes);
        plan.blockRows =
            blockRowsOf(*plan.device, plan.rowBytes, shape[plan.rowAxes - 1], plan.what, {plan.leastRows, plan.rows});
        if (plan.isTooLarge && plan.rowBytes <= plan.device->scratchBytes / 2)
            plan.blockRows = std::max<std::int64_t>(plan.blockRows, 1);
        plan.blocks = plan.rows / static_cast<double>(std::max<std::int64_t>(plan.blockRows, 1));
    }

    [[nodiscard]] std::vector<DecisionNumber> numbersOf(const Plan &plan) const
    {
        const double again = plan.blocks * plan.besideBytes;
        std::vector<DecisionNumber> numbers{
            number("value", plan.bytes, "bytes", "the value's shape"),
            number("rows of a block", plan.blockRows, {}, "what a part of the core's cache has room for"),
            number("kept for a block", plan.blockRows * plan.rowBytes, "bytes", "rows of a block x bytes of a row of each stage"),
            number("read again", again, "bytes", "what the stages read for every block alike x blocks")};
        return numbers;
    }

    // Why the value had better be stored; empty: it had not.
    [[nodiscard]] static std::string objectionTo(const Plan &plan)
    {
        const std::int64_t cache = plan.device->cacheBytesPerCore;
        if (plan.bytes <= cache && plan.what == BlockOf::Rows)
            return format("its {} bytes stay in the {} bytes of a core's cache anyway", plan.bytes, cache);
        if (plan.isTooLarge && plan.blockRows > 0)
            return {};
        if (plan.hasTensorProduct)
            return "stages have no tensor instructions, which multiply several times as fast";
        if (plan.blockRows == 0)
            return format("{} bytes for each row are too many for a block of {} in a part of a core's cache", plan.rowBytes,
                          plan.what == BlockOf::Rows && plan.leastRows > 1 ? format("{} rows", plan.leastRows) : "one row");
        if (plan.blocks < fewestBlocks(*plan.device))
            return format("{:.0f} blocks of rows are too few for {} threads", plan.blocks, plan.device->threads);
        const double again = plan.besideBytes <= static_cast<double>(cache) ? 0 : plan.blocks * plan.besideBytes;
        if (again > 2.0 * static_cast<double>(plan.bytes) * kFartherCacheBandwidth)
            return format("every block of {} rows would read the same {:.0f} bytes again", plan.blockRows, plan.besideBytes);
        return {};
    }

    void consider(std::uint32_t number)
    {
        const KernelGroup &group = m_grouping.groups[number];
        if (m_isGone[number] || group.members.empty() || !m_context.mayRewrite())
            return;
        const std::vector<FusionDecision *> decisions = decisionsOn(group.root);
        const bool isPadded = m_flow.storedViews[group.root.value] == StoredView::PaddedForReduction;
        const auto isOfOneNest = [&](const FusionDecision *decision) {
            const bool isOfRule = std::ranges::find(kRulesOfOneNest, decision->rule) != kRulesOfOneNest.end();
            return !decision->isFused && (isOfRule || (isPadded && decision->rule == kStoredViewRule));
        };
        const auto wishOf = [&](const FusionDecision *decision) {
            return m_overrides.wishFor(decision->producer, decision->consumer);
        };
        const bool isApart = std::ranges::any_of(decisions, [&](auto *one) { return wishOf(one) == FusionWish::Apart; });
        const bool mayJoin =
            std::ranges::all_of(decisions, [&](auto *one) { return isOfOneNest(one) || wishOf(one) == FusionWish::Apart; });
        if (decisions.empty() || !mayJoin)
            return;
        const std::optional<Plan> plan = planFor(group, number);
        if (!plan || (plan->blockRows == 0 && plan->rowBytes > plan->device->scratchBytes / 2))
            return;
        const std::string objection = objectionTo(*plan);
        const bool isAskedFor = std::ranges::any_of(decisions, [&](auto *one) { return wishOf(one) == FusionWish::Fuse; });
        if (isApart) {
            if (objection.empty())
                settle(decisions, FusionWish::Apart);
            return;
        }
        if (!objection.empty() && !isAskedFor) {
            // Of a small value nobody would expect stages.
            const bool isExpected = plan->bytes > plan->device->cacheBytesPerCore || plan->what == BlockOf::PaddedImage;
            for (FusionDecision *decision : decisions)
                if (isExpected)
                    decision->reason += "; as stages of one kernel: " + objection;
            return;
        }
        if (isAskedFor)
            settle(decisions, FusionWish::Fuse);
        record(*plan, decisions, objection);
        join(number, *plan);
    }

    // The overrides that made the difference.
    void settle(const std::vector<FusionDecision *> &decisions, FusionWish wish)
    {
        for (const FusionDecision *decision : decisions)
            if (m_overrides.wishFor(decision->producer, decision->consumer) == wish)
                m_grouping.overrides.at(*m_overrides.overrideOf(decision->producer, decision->consumer)) = {
                    OverrideState::Applied, {}};
    }

    void record(const Plan &plan, const std::vector<FusionDecision *> &decisions, const std::string &objection)
    {
        const std::int64_t rows = std::max<std::int64_t>(plan.blockRows, 1);
        std::string reason =
            format("saves {} bytes of traffic: a work item keeps {} bytes for {} at a time, and goes on with {}", 2 * plan.bytes,
                   rows * plan.rowBytes, rows == 1 ? "one row" : format("{} rows", rows), rows == 1 ? "it" : "them");
        if (!objection.empty())
            reason += ", though " + objection;
        for (FusionDecision *decision : decisions) {
            decision->isFused = true;
            decision->rule = std::string(objection.empty() ? kStageRule : kOverrideRule);
            decision->reason = reason;
            decision->bytesSaved = 2 * plan.bytes;
            decision->numbers = numbersOf(plan);
        }
        const NodeId producer = decisions.front()->producer;
        const NodeId root = m_grouping.groups[plan.reader].root;
        m_context.record(kStageRule, [&] {
            return RewriteDetail{format("%{} becomes a stage of the kernel of %{}", producer.value, root.value),
                                 {producer.value, root.value},
                                 {root.value}};
        });
    }

    // The reader's kernel with the other group as its first stages.
    [[nodiscard]] static KernelGroup together(const KernelGroup &reader, const KernelGroup &group, std::size_t rowAxes)
    {
        KernelGroup both = reader;
        both.members.insert(both.members.end(), group.members.begin(), group.members.end());
        std::ranges::sort(both.members);
        both.stages.insert(both.stages.end(), group.stages.begin(), group.stages.end());
        both.stages.push_back(group.root);
        std::ranges::sort(both.stages);
        std::ranges::copy_if(group.results, std::back_inserter(both.results), [&](NodeId one) { return one != group.root; });
        std::ranges::sort(both.results);
        both.rowAxes = static_cast<std::uint32_t>(rowAxes);
        return both;
    }

    void join(std::uint32_t number, const Plan &plan)
    {
        const KernelGroup gone = std::move(m_grouping.groups[number]);
        KernelGroup &kept = m_grouping.groups[plan.reader];
        kept = together(kept, gone, plan.rowAxes);
        for (const NodeId member : gone.members)
            m_grouping.groupOf[member.value] = plan.reader;
        for (const std::uint32_t other : gone.readers)
            if (other != plan.reader && std::ranges::find(kept.readers, other) == kept.readers.end())
                kept.readers.push_back(other);
        std::erase(m_withSeveralResults, number);
        if (kept.results.size() > 1)
            m_withSeveralResults.push_back(plan.reader);
        for (KernelGroup &group : m_grouping.groups) {
            const auto old = std::ranges::find(group.readers, number);
            if (old == group.readers.end())
                continue;
            if (std::ranges::find(group.readers, plan.reader) == group.readers.end())
                *old = plan.reader;
            else
                group.readers.erase(old);
        }
        m_grouping.groups[number] = {};
        m_isGone[number] = true;
    }

    Grouping compacted()
    {
        compactGroups(m_grouping, m_isGone);
        return std::move(m_grouping);
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    std::span<const NodeFacts> m_facts;
    PassContext &m_context;
    FusionOverrides m_overrides;
    Grouping m_grouping;
    std::vector<bool> m_isOfNarrowFactor; // by node: a cast of a factor of a product by a tensor instruction
    std::vector<bool> m_isGone;
    std::vector<std::uint32_t> m_withSeveralResults; // numbers of groups, perhaps more than once
    KernelSearch m_search;
};

} // namespace

Grouping withStagesMerged(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping grouping)
{
    if (!context.options().fuse)
        return grouping;
    if (grouping.groups.size() >= 2)
        grouping = StageMerger(graph, placed, context, std::move(grouping)).merge();
    keepWhatIsComputedAgain(graph, placed, context, grouping);
    return grouping;
}

} // namespace sw
