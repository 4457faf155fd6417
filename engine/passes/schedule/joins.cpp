#include "engine/passes/schedule/joins.h"

#include "engine/passes/schedule/fusion_overrides.h"
#include "engine/passes/schedule/policy.h"

#include <algorithm>

namespace sw {

namespace {

std::int64_t bytesOfValue(const Node &node)
{
    return node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype));
}

// A cat of which nothing but its places is known yet.
struct Candidate {
    std::vector<NodeId> parts;         // holders
    std::vector<std::int64_t> offsets; // bytes
};

// The parts of a cat and where they lie in it; nothing: some of them is not in memory as a whole, or they do not lie one after
// the other.
std::optional<Candidate> candidateOf(const Graph &graph, const Dataflow &flow, NodeId cat)
{
    const Node &node = graph.node(cat);
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    for (std::size_t before = 0; before < axis; ++before)
        if (node.shape[before] != 1)
            return std::nullopt;
    Candidate found;
    std::int64_t offset = 0;
    for (const NodeId input : node.inputs) {
        const NodeId holder = holderOf(flow, input);
        const Node &part = graph.node(input);
        const bool isAllOfIt =
            isPlain(flow.accesses[input.value], part.shape) && part.shape.elements() == graph.node(holder).shape.elements();
        const bool isTwice = std::ranges::find(found.parts, holder) != found.parts.end();
        if (!flow.isComputed[holder.value] || !isAllOfIt || isTwice || part.shape.elements() == 0)
            return std::nullopt;
        found.parts.push_back(holder);
        found.offsets.push_back(offset);
        offset += bytesOfValue(part);
    }
    return found.parts.size() < 2 ? std::nullopt : std::optional(std::move(found));
}

class JoinPlanner {
public:
    JoinPlanner(const Graph &graph, const Dataflow &flow, std::span<const DeviceSlot> slots, std::span<const NodeFacts> facts,
                PassContext &context)
        : m_graph(graph),
          m_flow(flow),
          m_slots(slots),
          m_facts(facts),
          m_context(context),
          m_overrides(graph, flow, context.options().overrides)
    {
    }

    Joins plan() &&
    {
        for (std::size_t i = 0; i < m_graph.size() && !m_context.isCancelled(); ++i)
            if (m_flow.isComputed[i] && m_graph.nodes()[i].kind == NodeKind::Cat)
                if (std::optional<Candidate> found = judged(NodeId(i)))
                    m_candidates.emplace(NodeId(i), *std::move(found));
        for (auto one = m_candidates.rbegin(); one != m_candidates.rend() && m_context.mayRewrite(); ++one)
            join(one->first, one->second);
        return std::move(m_joins);
    }

private:
    // Nothing: the cat cannot be joined, or had better not be.
    [[nodiscard]] std::optional<Candidate> judged(NodeId cat) const
    {
        std::optional<Candidate> found = mayMove(cat, cat) ? candidateOf(m_graph, m_flow, cat) : std::nullopt;
        const auto mayBePart = [&](NodeId part) { return mayMove(part, cat); };
        if (found && (!std::ranges::all_of(found->parts, mayBePart) || !areAligned(*found, cat) || !isWorthIt(*found)))
            found.reset();
        return found;
    }

    void join(NodeId cat, const Candidate &found)
    {
        if (hasWish(cat)) {
            m_joins.decline(cat);
            return;
        }
        if (!m_joins.join(cat, found.parts, found.offsets))
            return;
        m_context.record(kJoinRule, [&] {
            RewriteDetail detail{
                format("%{} lies in memory where its {} parts are stored", cat.value, found.parts.size()), {}, {cat.value}};
            for (const NodeId part : found.parts)
                detail.before.push_back(part.value);
            detail.before.push_back(cat.value);
            return detail;
        });
    }

    // Computed by a kernel of the run, once in each run, on the cat's device.
    [[nodiscard]] bool mayMove(NodeId value, NodeId cat) const
    {
        const Node &node = m_graph.node(value);
        return !isTransfer(node.kind) && node.kind != NodeKind::Kernel && !m_flow.kernels[value.value].isValid() &&
               m_slots[value.value] == m_slots[cat.value] && !m_flow.isOfLoad[value.value] &&
               m_flow.scans.bodyOf(value) == kNoScan && m_flow.branches.of(value).empty();
    }

    // A buffer begins where the device wants one to begin.
    [[nodiscard]] bool areAligned(const Candidate &of, NodeId cat) const
    {
        const std::int64_t alignment = m_context.device(m_slots[cat.value]).bufferAlignment;
        return std::ranges::all_of(of.offsets, [&](std::int64_t offset) { return offset % alignment == 0; });
    }

    // What several nodes read may still be computed for each of them.
    [[nodiscard]] bool isStoredAnyway(NodeId value) const
    {
        return m_facts[value.value].carriesReduction || m_flow.isOutput[value.value] || m_candidates.contains(value) ||
               m_flow.storedViews[value.value] != StoredView::No;
    }

    [[nodiscard]] bool isWorthIt(const Candidate &of) const
    {
        std::int64_t stored = 0;
        std::int64_t all = 0;
        for (const NodeId part : of.parts) {
            const std::int64_t bytes = bytesOfValue(m_graph.node(part));
            all += bytes;
            if (isStoredAnyway(part))
                stored += bytes;
        }
        return 2 * stored >= all;
    }

    [[nodiscard]] bool hasWish(NodeId cat) const
    {
        const auto isWish = [this](const Read &read) {
            return read.isAskedFor || m_overrides.wishFor(read.producer, read.consumer) != FusionWish::None;
        };
        return std::ranges::any_of(m_flow.reads[cat.value], isWish) || std::ranges::any_of(m_flow.readers[cat.value], isWish);
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::span<const DeviceSlot> m_slots;
    std::span<const NodeFacts> m_facts;
    PassContext &m_context;
    FusionOverrides m_overrides;
    std::map<NodeId, Candidate> m_candidates;
    Joins m_joins;
};

} // namespace

std::optional<JoinedPlace> Joins::placeOf(NodeId value) const
{
    const auto found = m_places.find(value);
    return found == m_places.end() ? std::nullopt : std::optional(found->second);
}

bool Joins::isPartOf(NodeId value, NodeId cat) const
{
    const auto found = m_wholes.find(cat);
    return found != m_wholes.end() && std::ranges::find(found->second, value) != found->second.end();
}

std::vector<NodeId> Joins::wholes() const
{
    std::vector<NodeId> all;
    for (const auto &[cat, parts] : m_wholes)
        all.push_back(cat);
    return all;
}

// Whether the parts have places side by side in one whole already.
bool Joins::lieThere(const std::vector<NodeId> &parts, std::span<const std::int64_t> offsets) const
{
    const std::optional<JoinedPlace> first = placeOf(parts.front());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::optional<JoinedPlace> place = placeOf(parts[i]);
        if (!first || !place || place->whole != first->whole || place->offset != first->offset + offsets[i])
            return false;
    }
    return true;
}

bool Joins::join(NodeId cat, const std::vector<NodeId> &parts, std::span<const std::int64_t> offsets)
{
    const auto isPlaced = [this](NodeId part) { return m_places.contains(part); };
    const auto isTaken = [&](NodeId part) { return part == cat || m_wholes.contains(part); };
    if (m_wholes.contains(cat) || std::ranges::any_of(parts, isTaken))
        return false;
    if (std::ranges::none_of(parts, isPlaced)) {
        const JoinedPlace own = placeOf(cat).value_or(JoinedPlace{cat, 0});
        for (std::size_t i = 0; i < parts.size(); ++i)
            m_places.emplace(parts[i], JoinedPlace{own.whole, own.offset + offsets[i]});
    } else if (!m_places.contains(cat) && lieThere(parts, offsets)) {
        m_places.emplace(cat, m_places.at(parts.front()));
    } else {
        return false;
    }
    m_wholes.emplace(cat, parts);
    return true;
}

Joins planJoins(const Graph &graph, const Dataflow &flow, std::span<const DeviceSlot> slots, std::span<const NodeFacts> facts,
                PassContext &context)
{
    return context.options().fuse ? JoinPlanner(graph, flow, slots, facts, context).plan() : Joins();
}

Joins joinsThat(const Joins &joins, const Graph &graph, const Dataflow &flow, const std::function<bool(NodeId)> &fit)
{
    Joins made;
    const std::vector<NodeId> wholes = joins.wholes();
    for (auto cat = wholes.rbegin(); cat != wholes.rend(); ++cat)
        if (const auto found = fit(*cat) ? candidateOf(graph, flow, *cat) : std::nullopt)
            static_cast<void>(made.join(*cat, found->parts, found->offsets));
    return made;
}

} // namespace sw
