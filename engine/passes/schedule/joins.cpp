#include "engine/passes/schedule/joins.h"

#include "engine/passes/schedule/fusion_overrides.h"
#include "engine/passes/schedule/policy.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kManyParts = 3;            // whose masks cost more than kernels of their own
constexpr std::int64_t kLeastBytesOfPart = 4096; // on average, of a part that a kernel is launched for

std::int64_t bytesOfValue(const Node &node)
{
    return node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype));
}

// A cat of which nothing but its places is known yet.
struct Candidate {
    std::vector<NodeId> parts;         // holders, and views
    std::vector<std::int64_t> offsets; // bytes
    std::vector<NodeId> views;         // the parts that are views in another order, which nothing stores yet
};

enum class ViewParts : bool { No, Yes };

// The parts of a cat and where they lie in it; nothing: some of them is not in memory as a whole, or they do not lie one after
// the other.
std::optional<Candidate> candidateOf(const Graph &graph, const Dataflow &flow, NodeId cat, ViewParts mayBeViews = ViewParts::No)
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
        const bool isView = !isAllOfIt && mayBeViews == ViewParts::Yes && holder != input;
        const NodeId stored = isView ? input : holder;
        const bool isTwice = std::ranges::find(found.parts, stored) != found.parts.end();
        if (!flow.isComputed[holder.value] || !(isAllOfIt || isView) || isTwice || part.shape.elements() == 0)
            return std::nullopt;
        found.parts.push_back(stored);
        if (isView)
            found.views.push_back(input);
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
        for (const NodeId cat : cats()) {
            if (std::optional<Candidate> found = judged(cat))
                m_candidates.emplace(cat, *std::move(found));
            else if (withCopies(cat) && hasWish(cat))
                m_joins.decline(cat);
        }
        for (auto one = m_candidates.rbegin(); one != m_candidates.rend() && m_context.mayRewrite(); ++one)
            join(one->first, one->second);
        return std::move(m_joins);
    }

    // The views that must be stored before their cats can be joined.
    [[nodiscard]] std::vector<NodeId> views() const
    {
        std::vector<NodeId> all;
        for (const NodeId cat : cats()) {
            const std::optional<Candidate> found = withCopies(cat);
            if (found && !hasWish(cat) && std::ranges::none_of(found->views, [&](NodeId view) { return isWanted(view); }))
                all.insert(all.end(), found->views.begin(), found->views.end());
        }
        return all;
    }

private:
    [[nodiscard]] std::vector<NodeId> cats() const
    {
        std::vector<NodeId> all;
        for (std::size_t i = 0; i < m_graph.size() && !m_context.isCancelled(); ++i)
            if (m_flow.isComputed[i] && m_graph.nodes()[i].kind == NodeKind::Cat)
                all.emplace_back(i);
        return all;
    }

    // Nothing: the cat cannot be joined.
    [[nodiscard]] std::optional<Candidate> placed(NodeId cat, ViewParts mayBeViews) const
    {
        std::optional<Candidate> found = mayMove(cat, cat) ? candidateOf(m_graph, m_flow, cat, mayBeViews) : std::nullopt;
        const auto mayBePart = [&](NodeId part) { return mayMove(part, cat); };
        if (found && (!std::ranges::all_of(found->parts, mayBePart) || !areAligned(*found, cat)))
            found.reset();
        return found;
    }

    // Nothing: the cat cannot be joined, or had better not be.
    [[nodiscard]] std::optional<Candidate> judged(NodeId cat) const
    {
        std::optional<Candidate> found = placed(cat, ViewParts::No);
        return found && isWorthIt(*found) ? found : std::nullopt;
    }

    // With views among its parts that had better be copied to their places. A cat in one kernel reads each of its parts under a
    // mask at every place. Copying the views, each on its own, moves as much where the cat is in memory anyway, and less where
    // the other parts are stored there.
    [[nodiscard]] std::optional<Candidate> withCopies(NodeId cat) const
    {
        std::optional<Candidate> found = placed(cat, ViewParts::Yes);
        const bool isWorthCopies =
            found && !found->views.empty() && m_context.device(m_slots[cat.value]).kind == DeviceKind::Cpu &&
            bytesOfValue(m_graph.node(cat)) >= kLeastBytesOfPart * static_cast<std::int64_t>(found->parts.size()) &&
            (isWorthIt(*found) || (isInMemory(cat) && found->parts.size() >= kManyParts));
        return isWorthCopies ? found : std::nullopt;
    }

    // It is an output, or a reduction or a lookup reads it, or a reduction the products that are made of it.
    [[nodiscard]] bool isInMemory(NodeId cat) const
    {
        const auto isReduced = [](const Read &read) { return read.kind == ReadKind::Reduced; };
        const auto isOfWhole = [&](const Read &read) {
            return read.kind != ReadKind::Elements || std::ranges::any_of(m_flow.readers[read.consumer.value], isReduced);
        };
        return m_flow.isOutput[cat.value] || std::ranges::any_of(m_flow.readers[cat.value], isOfWhole);
    }

    // Whether somebody who reads what the view is of has said how.
    [[nodiscard]] bool isWanted(NodeId view) const
    {
        return std::ranges::any_of(m_flow.readers[holderOf(m_flow, view).value],
                                   [this](const Read &read) { return isWish(read); });
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

    [[nodiscard]] bool isWish(const Read &read) const
    {
        return read.isAskedFor || m_overrides.wishFor(read.producer, read.consumer) != FusionWish::None;
    }

    [[nodiscard]] bool hasWish(NodeId cat) const
    {
        const auto isOne = [this](const Read &read) { return isWish(read); };
        return std::ranges::any_of(m_flow.reads[cat.value], isOne) || std::ranges::any_of(m_flow.readers[cat.value], isOne);
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

JoinedFlow joinedFlowOf(const Graph &graph, std::span<const DeviceSlot> slots, PassContext &context)
{
    JoinedFlow made{dataflowOf(graph), {}, {}};
    made.facts = factsOf(graph, made.flow);
    if (!context.options().fuse)
        return made;
    const auto plannerIn = [&](PassContext &in) { return JoinPlanner(graph, made.flow, slots, made.facts, in); };
    std::vector<NodeId> views;
    if (context.mayRewrite())
        views = plannerIn(context).views();
    // Other parts may count as stored or not when the views are, and a view may be a part of two cats: what is not joined then is
    // stored for nothing, and taken back.
    for (bool isSettled = views.empty(); !isSettled;) {
        made.flow = dataflowOf(graph, views);
        made.facts = factsOf(graph, made.flow);
        PassContext trial = context;
        const Joins joins = plannerIn(trial).plan();
        isSettled = std::erase_if(views, [&](NodeId view) { return !joins.placeOf(view); }) == 0;
    }
    made.joins = plannerIn(context).plan();
    return made;
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
