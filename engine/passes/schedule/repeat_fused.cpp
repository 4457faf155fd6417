#include "engine/passes/schedule/repeat_fused.h"

#include "engine/graph/builder.h"
#include "engine/passes/graph/device_slots.h"
#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/schedule/grouping.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sw {

namespace {

// Chains up to this length are repeated node by node, one more node in each round.
constexpr int kMostRounds = 64;
// Keeps chains of chains with many readers each finite; values beyond this are loaded, and their decision says so.
constexpr std::size_t kMostRepeats = 4096;

class Repeater {
public:
    Repeater(const Graph &graph, const Dataflow &flow, PassContext &context)
        : m_graph(graph), m_flow(flow), m_context(context), m_builder(graph)
    {
    }

    Graph repeated(const std::vector<AskedRepeat> &repeats)
    {
        std::map<NodeId, std::vector<const AskedRepeat *>> byNode;
        for (const AskedRepeat &repeat : repeats)
            byNode[repeat.node].push_back(&repeat);
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const NodeId id(i);
            m_made.push_back(add(id));
            const auto found = byNode.find(id);
            if (found == byNode.end() || !m_context.mayRewrite())
                continue;
            for (const AskedRepeat *repeat : found->second)
                repeatFor(*repeat);
        }
        return std::move(m_builder).finishUnchecked();
    }

private:
    // A node that a consumer reads in place of another.
    struct Exchange {
        NodeId node;
        NodeId own;
    };

    NodeId add(NodeId id)
    {
        Node node = m_graph.node(id);
        const auto exchanges = m_exchanges.find(id);
        for (NodeId &input : node.inputs) {
            NodeId made = m_made[input.value];
            if (exchanges != m_exchanges.end())
                for (const Exchange &exchange : exchanges->second)
                    if (m_flow.bases[input.value] == exchange.node)
                        made = through(input, exchange);
            input = made;
        }
        return m_builder.addUnchecked(std::move(node));
    }

    // Makes the views on the way again, over the consumer's own node.
    NodeId through(NodeId id, const Exchange &exchange)
    {
        std::vector<NodeId> views; // views to make, from the consumer to the node
        while (id != exchange.node && !m_views.contains({id, exchange.own})) {
            views.push_back(id);
            id = m_graph.node(id).inputs[0];
        }
        NodeId made = id == exchange.node ? exchange.own : m_views.at({id, exchange.own});
        for (auto next = views.rbegin(); next != views.rend(); ++next) {
            Node view = m_graph.node(*next);
            view.inputs[0] = made;
            made = m_builder.addUnchecked(std::move(view));
            m_views.emplace(std::pair(*next, exchange.own), made);
        }
        return made;
    }

    void repeatFor(const AskedRepeat &repeat)
    {
        const NodeId own = add(repeat.node);
        for (const NodeId consumer : repeat.consumers)
            m_exchanges[consumer].push_back({repeat.node, own});
        m_context.record("repeat-fused", [&] {
            return RewriteDetail{format("%{} {} again for %{}", repeat.node.value, operationText(m_graph.node(repeat.node)),
                                        repeat.consumers.front().value),
                                 {repeat.node.value},
                                 {m_made[repeat.node.value].value, own.value}};
        });
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<NodeId> m_made;                          // by node of the graph
    std::map<NodeId, std::vector<Exchange>> m_exchanges; // by consumer
    std::map<std::pair<NodeId, NodeId>, NodeId> m_views; // by view and the node that is read through it
};

// Returns nothing when every request that can be met is met.
Result<std::optional<Graph>> nextRound(const Graph &graph, PassContext &context)
{
    SW_TRY(const std::vector<DeviceSlot> slots, settledSlots(graph, context));
    PassContext trial = context;
    const JoinedFlow joined = joinedFlowOf(graph, slots, trial);
    const Result<Grouping> grouping =
        growKernels(graph, {joined.flow, slots, joined.facts, joined.joins}, trial, GrowthPurpose::Trial);
    const bool isDone = !grouping || grouping->repeats.empty() || !context.mayRewrite() ||
                        context.rewrites().size() + grouping->repeats.size() > kMostRepeats;
    if (isDone)
        return std::optional<Graph>();
    return std::optional(Repeater(graph, joined.flow, context).repeated(grouping->repeats));
}

} // namespace

Result<std::optional<Graph>> repeatFused(const Graph &graph, PassContext &context)
{
    const auto isAsking = [](const Node &node) { return node.kind == NodeKind::Fuse || node.kind == NodeKind::Iota; };
    const auto hasNarrowFactors = [&] {
        const std::vector<bool> areCasts = castsOfNarrowFactors(graph, usableTensorInstructions(context));
        return std::ranges::find(areCasts, true) != areCasts.end();
    };
    if (!context.options().fuse || (std::ranges::none_of(graph.nodes(), isAsking) && !hasNarrowFactors()))
        return std::optional<Graph>();
    std::optional<Graph> made;
    for (int round = 0; round < kMostRounds; ++round) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "grouping was cancelled");
        SW_TRY(std::optional<Graph> next, nextRound(made ? *made : graph, context));
        if (!next)
            break;
        made = std::move(next);
    }
    return made;
}

} // namespace sw
