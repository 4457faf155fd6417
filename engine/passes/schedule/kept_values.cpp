#include "engine/passes/schedule/kept_values.h"

#include "engine/passes/graph/device_slots.h"
#include "engine/passes/schedule/block_rows.h"
#include "engine/passes/schedule/policy_numbers.h"
#include "engine/passes/schedule/stage_rows.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kDearerThanKeeping = 16; // operations per element: to write it to the core's cache, and to read it twice
constexpr double kTimesMoved = 3;         // as often is a kept element written or read
constexpr double kWorthStages = 1 << 20;  // operations: fewer take less time than one more loop nest takes to compile

struct KeptBlock {
    std::int64_t rows = 0; // none: it cannot be kept
    bool isFar = false;    // the core's own cache has no room for it
};

class Keeper {
public:
    Keeper(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping &grouping)
        : m_graph(graph),
          m_flow(placed.flow),
          m_slots(placed.slots),
          m_context(context),
          m_facts(placed.facts),
          m_grouping(grouping)
    {
    }

    void keep()
    {
        for (KernelGroup &group : m_grouping.groups)
            if (!m_context.isCancelled()) // the caller checks for it next
                consider(group);
    }

private:
    void consider(KernelGroup &group)
    {
        const auto isCandidate = [&](NodeId member) { return member != group.root && isWorthKeeping(member); };
        if (std::ranges::none_of(group.members, isCandidate) || (group.stages.empty() && !mayHaveStages(group)))
            return;
        std::vector<NodeId> roots = group.stages;
        roots.push_back(group.root);
        for (const NodeId root : roots) {
            const std::vector<NodeId> members = stageMembersOf(m_flow, group, root);
            const StageReads reads(m_graph, m_flow, root, members);
            for (auto member = members.rbegin(); member != members.rend(); ++member) {
                if (*member == root || !isWorthKeeping(*member) || !m_context.mayRewrite() ||
                    group.stages.size() >= kMaximumStages)
                    continue;
                const std::size_t rowAxes = reads.rowAxesFor(*member);
                KernelGroup with = group;
                with.stages.push_back(*member);
                std::ranges::sort(with.stages);
                with.rowAxes = group.stages.empty() ? static_cast<std::uint32_t>(rowAxes) : group.rowAxes;
                if (rowAxes == 0 || rowAxes < with.rowAxes)
                    continue;
                const KeptBlock block = blockOf(with, *member);
                if (block.rows == 0 || (group.stages.empty() && !isWorthStages(with, block.rows)))
                    continue;
                recordKept(*member, root, block);
                group = std::move(with);
                break; // what it is computed from is its own stage's now
            }
        }
    }

    // As many rows as a part of the core's cache has room for. Only the tiles of a contraction want several rows: else one will
    // do, and it may lie in a farther cache where reading it from there costs less than to compute it again.
    [[nodiscard]] KeptBlock blockOf(const KernelGroup &with, NodeId member) const
    {
        const Shape &shape = m_graph.node(with.root).shape;
        const DeviceInfo &device = m_context.device(m_slots[with.root.value]);
        const std::int64_t rowBytes = keptRowBytesOf(m_graph, m_flow, with);
        const bool hasTiles = std::ranges::any_of(with.members, [&](NodeId one) { return m_facts[one.value].isContraction; });
        // Where blocks of fewer rows are kept already, because all of them are too many to be stored.
        const bool isLarge = with.stages.size() > 1 && areTooManyToStore(rowBytes, rowsOf(with));
        const BlockLimits limits = hasTiles && !isLarge ? BlockLimits() : BlockLimits{.least = 1, .allRows = rowsOf(with)};
        const std::int64_t rows = blockRowsOf(device, rowBytes, shape[with.rowAxes - 1], BlockOf::Rows, limits);
        const bool mayBeFar = isLarge || (!hasTiles && isDearerThanFarCache(member));
        if (rows > 0 || rowBytes > device.scratchBytes / 2 || !mayBeFar)
            return {.rows = rows};
        return {.rows = 1, .isFar = true};
    }

    [[nodiscard]] double rowsOf(const KernelGroup &with) const
    {
        double rows = 1;
        for (std::size_t axis = 0; axis < with.rowAxes; ++axis)
            rows *= static_cast<double>(m_graph.node(with.root).shape[axis]);
        return rows;
    }

    // Whether its evaluations but the first take longer than writing it once and reading it twice.
    [[nodiscard]] bool isDearerThanFarCache(NodeId member) const
    {
        const RooflineFigures &figures = m_context.options().figures;
        const Node &node = m_graph.node(member);
        const double moved = kTimesMoved * static_cast<double>(node.shape.elements()) * static_cast<double>(bytesOf(node.dtype));
        return savedBy(member) * kOperationsPerInstruction / figures.operationsPerNanosecond >
               moved / (figures.memoryBytesPerNanosecond * kFartherCacheBandwidth);
    }

    // Whether a kernel that is one nest may become one in stages.
    [[nodiscard]] bool mayHaveStages(const KernelGroup &group) const
    {
        return group.results.size() == 1 && group.results.front() == group.root &&
               m_context.device(m_slots[group.root.value]).kind != DeviceKind::Gpu;
    }

    // Of a kernel that is one nest without the stage: there are blocks for all threads, what reads the stage reduces it, and it
    // does for itself no reduction that the stage needs.
    [[nodiscard]] bool isWorthStages(const KernelGroup &with, std::int64_t blockRows) const
    {
        const double blocks = rowsOf(with) / static_cast<double>(blockRows);
        if (savedBy(with.stages.front()) < kWorthStages || blocks < 2.0 * m_context.device(m_slots[with.root.value]).threads)
            return false;
        const auto reductionsFor = [&](NodeId root) {
            std::vector<NodeId> found = stageMembersOf(m_flow, with, root);
            std::erase_if(found, [&](NodeId member) { return m_graph.node(member).kind != NodeKind::ReduceAxis; });
            return found;
        };
        const std::vector<NodeId> before = reductionsFor(with.stages.front());
        const std::vector<NodeId> behind = reductionsFor(with.root);
        return !behind.empty() &&
               std::ranges::none_of(before, [&](NodeId reduction) { return std::ranges::binary_search(behind, reduction); });
    }

    // Operations of all evaluations but the first of each element.
    [[nodiscard]] double savedBy(NodeId member) const
    {
        const auto elements = static_cast<double>(m_graph.node(member).shape.elements());
        return (m_grouping.evaluations[member.value] - elements) * m_facts[member.value].chainCost;
    }

    [[nodiscard]] bool isWorthKeeping(NodeId member)
    {
        const auto elements = static_cast<double>(std::max<std::int64_t>(1, m_graph.node(member).shape.elements()));
        if (familyOf(m_graph.node(member).kind) != NodeFamily::Elementwise || m_facts[member.value].carriesReduction ||
            savedBy(member) < kDearerThanKeeping * elements)
            return false;
        return std::ranges::none_of(decisionsOn(member), [](const FusionDecision *one) {
            return !one->isFused || one->rule == kOverrideRule || one->rule == kAskedForRule || one->rule == kNarrowFactorRule;
        });
    }

    void recordKept(NodeId member, NodeId root, const KeptBlock &block)
    {
        const double cost = m_facts[member.value].chainCost;
        for (FusionDecision *decision : decisionsOn(member)) {
            decision->rule = std::string(kStageRule);
            decision->reason =
                format("kept for {} at a time: it would be computed {:.0f} times for {} elements, at {:.0f} operations",
                       block.rows == 1 ? "one row" : format("{} rows", block.rows), m_grouping.evaluations[member.value],
                       m_graph.node(member).shape.elements(), cost);
            decision->numbers = {number("rows of a block", block.rows, {},
                                        block.isFar ? "a farther cache has it sooner than it is computed again"
                                                    : "what a part of the core's cache has room for"),
                                 number("operations per element", cost, {}, kChainOrigin)};
        }
        m_grouping.evaluations[member.value] = static_cast<double>(m_graph.node(member).shape.elements());
        m_context.record(kStageRule, [&] {
            return RewriteDetail{format("%{} becomes a stage of its own before %{}", member.value, root.value),
                                 {member.value, root.value},
                                 {root.value}};
        });
    }

    [[nodiscard]] std::vector<FusionDecision *> decisionsOn(NodeId producer)
    {
        std::vector<FusionDecision *> found;
        for (FusionDecision &decision : m_grouping.decisions)
            if (decision.producer == producer)
                found.push_back(&decision);
        return found;
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    PassContext &m_context;
    std::span<const NodeFacts> m_facts;
    Grouping &m_grouping;
};

} // namespace

void keepWhatIsComputedAgain(const Graph &graph, const PlacedFlow &placed, PassContext &context, Grouping &grouping)
{
    Keeper(graph, placed, context, grouping).keep();
}

} // namespace sw
