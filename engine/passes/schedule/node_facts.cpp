#include "engine/passes/schedule/node_facts.h"

#include <algorithm>
#include <array>

namespace sw
{

namespace
{

constexpr double kCheapCost = 1;
constexpr double kDivisionCost = 6;
constexpr double kTranscendentalCost = 20;
constexpr double kLookupCost = 8;
// Sums over a graph with many diamonds stay finite.
constexpr double kChainCostCeiling = 1e6;

// They have no fully pipelined vector instruction.
constexpr std::array kDivisions = {Op::Div, Op::Idiv, Op::Fdiv, Op::Mod, Op::FloorDiv, Op::FloorMod, Op::Sqrt, Op::Recip};

double costOfOp(Op op)
{
    if (has(infoOf(op).traits, Trait::Transcendental))
        return kTranscendentalCost;
    return std::find(kDivisions.begin(), kDivisions.end(), op) != kDivisions.end() ? kDivisionCost : kCheapCost;
}

double costOf(const Node &node)
{
    switch (node.kind) {
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
        return costOfOp(node.op);
    case NodeKind::Gather:
    case NodeKind::Index:
        return kLookupCost;
    case NodeKind::Cat:
        return kCheapCost;
    case NodeKind::Placeholder:
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::View:
    case NodeKind::Reshape:
    case NodeKind::Permute:
    case NodeKind::Expand:
    case NodeKind::Pad:
    case NodeKind::Shrink:
    case NodeKind::Flip:
    case NodeKind::ReduceAxis:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Sink:
        return 0;
    }
    SW_UNREACHABLE();
}

class FactsBuilder
{
public:
    FactsBuilder(const Graph &graph, const Dataflow &flow) : m_graph(graph), m_flow(flow), m_facts(graph.size()) {}

    std::vector<NodeFacts> build() &&
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            if (m_flow.isComputed[i])
                m_facts[i] = of(NodeId(i));
        return std::move(m_facts);
    }

private:
    NodeFacts of(NodeId id)
    {
        const Node &node = m_graph.node(id);
        NodeFacts facts;
        facts.cost = costOf(node);
        if (node.kind == NodeKind::ReduceAxis) {
            facts.carriesReduction = true;
            facts.isContraction = isContraction(id);
            facts.carriesContraction = facts.isContraction;
            return facts;
        }
        facts.chainCost = facts.cost;
        const bool isElementwise = familyOf(node.kind) == NodeFamily::Elementwise;
        for (const Read &read : m_flow.reads[id.value]) {
            const NodeFacts &producer = m_facts[read.producer.value];
            if (read.kind == ReadKind::Lookup || isStored(read.producer))
                continue;
            facts.carriesReduction |= isElementwise && producer.carriesReduction && read.access.isBijection;
            facts.carriesContraction |= isElementwise && producer.carriesContraction && read.access.isBijection;
            facts.chainCost = std::min(kChainCostCeiling, facts.chainCost + producer.chainCost);
        }
        return facts;
    }

    [[nodiscard]] bool isStored(NodeId id) const
    {
        return !m_flow.isComputed[id.value] || m_flow.storedViews[id.value] != StoredView::No ||
               m_graph.node(id).kind == NodeKind::Contiguous;
    }

    // The product that a reduction sums, seen through casts.
    [[nodiscard]] NodeId reducedProduct(NodeId reduction) const
    {
        const Read &read = m_flow.reads[reduction.value].at(0);
        NodeId id = read.producer;
        while (m_graph.node(id).kind == NodeKind::Cast && m_flow.isComputed[id.value])
            id = m_flow.reads[id.value].at(0).producer;
        const Node &node = m_graph.node(id);
        return node.kind == NodeKind::Binary && m_flow.isComputed[id.value] ? id : NodeId();
    }

    [[nodiscard]] bool isContraction(NodeId reduction) const
    {
        const NodeId product = reducedProduct(reduction);
        if (!product.isValid())
            return false;
        const auto &reads = m_flow.reads[product.value];
        return std::all_of(reads.begin(), reads.end(), [this](const Read &read) { return isReadManyTimes(read); });
    }

    [[nodiscard]] bool isReadManyTimes(const Read &read) const
    {
        const Read *through = &read;
        while (m_graph.node(through->producer).kind == NodeKind::Cast && m_flow.isComputed[through->producer.value]) {
            if (repeats(through->access, through->positions, m_graph.node(through->producer).shape.elements()) > 1)
                return true;
            through = &m_flow.reads[through->producer.value].at(0);
        }
        return repeats(through->access, through->positions, m_graph.node(through->producer).shape.elements()) > 1;
    }

    const Graph &m_graph;
    const Dataflow &m_flow;
    std::vector<NodeFacts> m_facts;
};

} // namespace

std::vector<NodeFacts> factsOf(const Graph &graph, const Dataflow &flow)
{
    return FactsBuilder(graph, flow).build();
}

std::int64_t operationsOf(const Node &node)
{
    switch (node.kind) {
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::ReduceAxis:
        return 1;
    case NodeKind::Ternary:
        return node.op == Op::Where ? 1 : 2;
    case NodeKind::Placeholder:
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::View:
    case NodeKind::Reshape:
    case NodeKind::Permute:
    case NodeKind::Expand:
    case NodeKind::Pad:
    case NodeKind::Shrink:
    case NodeKind::Flip:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Cat:
    case NodeKind::Gather:
    case NodeKind::Index:
    case NodeKind::Sink:
        return 0;
    }
    SW_UNREACHABLE();
}

} // namespace sw
