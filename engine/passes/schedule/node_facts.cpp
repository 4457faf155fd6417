#include "engine/passes/schedule/node_facts.h"

#include "engine/base/checked_size.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kCheapCost = 1;
constexpr double kLookupCost = 8;
// Sums over a graph with many diamonds stay finite.
constexpr double kChainCostCeiling = 1e6;

double costOf(const Node &node)
{
    switch (infoOf(node.kind).cost) {
    case NodeCost::None:
        return 0;
    case NodeCost::Cheap:
        return kCheapCost;
    case NodeCost::OfOperation:
        return infoOf(node.op).price;
    case NodeCost::Lookup:
        return kLookupCost;
    }
    SW_UNREACHABLE();
}

class FactsBuilder {
public:
    FactsBuilder(const Graph &graph, const Dataflow &flow) : m_graph(graph), m_flow(flow), m_facts(graph.size()) {}

    std::vector<NodeFacts> build() &&
    {
        findBodies();
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            if (m_flow.isComputed[i])
                add(NodeId(i));
        return std::move(m_facts);
    }

private:
    // For an elementwise node all of whose elements a reduction consumes: that reduction, and the access from its input's axes.
    struct Body {
        NodeId reduction;
        Access access;
    };

    void add(NodeId id)
    {
        NodeFacts &facts = m_facts[id.value];
        facts = of(id);
        const std::vector<Read> &readers = m_flow.readers[id.value];
        if (facts.carriesReduction)
            facts.isBoundary = std::ranges::any_of(
                readers, [&](const Read &read) { return isInnerRead(read) || (readers.size() > 1 && isReadMasked(read)); });
        if (facts.chainCost > kCheaperThanMemory)
            facts.isBoundary |= std::ranges::any_of(readers, [&readers](const Read &read) {
                return read.kind != readers.front().kind || read.access != readers.front().access;
            });
    }

    [[nodiscard]] Body bodyThrough(const Read &read) const
    {
        if (read.kind == ReadKind::Reduced)
            return {read.consumer, read.access};
        const Body &reader = m_bodies[read.consumer.value];
        if (!reader.reduction.isValid() || read.kind == ReadKind::Lookup)
            return {};
        return {reader.reduction, composed(reader.access, m_graph.node(read.consumer).shape, read.access)};
    }

    void findBodies()
    {
        m_bodies.resize(m_graph.size());
        for (std::size_t i = m_graph.size(); i-- > 0;)
            for (const Read &read : m_flow.readers[i])
                if (read.access.isBijection && !m_bodies[i].reduction.isValid() &&
                    familyOf(m_graph.nodes()[i].kind) == NodeFamily::Elementwise)
                    m_bodies[i] = bodyThrough(read);
    }

    // Does the value change with the steps of a reduction, while the reader is not itself the value to store?
    [[nodiscard]] bool isInnerRead(const Read &read) const
    {
        if (read.kind != ReadKind::Reduced && read.access.isBijection)
            return false;
        const Body body = bodyThrough(read);
        if (!body.reduction.isValid() || !body.access.isStrided)
            return false;
        const auto &axes = attributesOf<AxesAttributes>(m_graph.node(body.reduction)).axes;
        return std::ranges::any_of(body.access.terms,
                                   [&axes](const AccessTerm &term) { return std::ranges::find(axes, term.axis) != axes.end(); });
    }

    // Do reductions alone read it so, with something else in place of some elements, as of those past the end of a dimension?
    // Where others read it as it is, it is stored as it is: the mask costs less where it is read than a second value in memory.
    [[nodiscard]] bool isReadMasked(const Read &read) const
    {
        const Node &mask = m_graph.node(read.consumer);
        const std::vector<Read> &operands = m_flow.reads[read.consumer.value];
        const std::vector<Read> &readers = m_flow.readers[read.consumer.value];
        const auto isFilling = [&](const Read &operand) { return isLiteral(m_graph, operand); };
        return mask.kind == NodeKind::Ternary && mask.op == Op::Where && !m_flow.isOutput[read.consumer.value] &&
               std::ranges::any_of(operands, isFilling) && !readers.empty() &&
               std::ranges::all_of(readers, [](const Read &reader) { return reader.kind == ReadKind::Reduced; });
    }

    NodeFacts of(NodeId id)
    {
        const Node &node = m_graph.node(id);
        NodeFacts facts;
        facts.cost = costOf(node);
        facts.leafBytes = m_flow.isOfLoad[id.value] ? leafBytesOf(id) : 0;
        if (node.kind == NodeKind::ReduceAxis) {
            facts.carriesReduction = true;
            facts.isContraction = isContraction(id);
            facts.carriesContraction = facts.isContraction;
            facts.contractionBytes = facts.isContraction ? operandBytes(reducedProduct(id)) : 0;
            return facts;
        }
        const bool isElementwise = familyOf(node.kind) == NodeFamily::Elementwise;
        facts.isOfPlaces = isElementwise && facts.cost <= kCheapCost && isReadingPlaces(id);
        if (facts.isOfPlaces)
            facts.cost = 0;
        facts.chainCost = facts.cost;
        std::vector<NodeId> counted;
        for (const Read &read : m_flow.reads[id.value]) {
            const NodeFacts &producer = m_facts[read.producer.value];
            if (read.kind == ReadKind::Lookup || isStored(read.producer))
                continue;
            facts.carriesReduction |= isElementwise && producer.carriesReduction && read.access.isBijection;
            facts.carriesContraction |= isElementwise && producer.carriesContraction && read.access.isBijection;
            if (std::ranges::find(counted, read.producer) == counted.end())
                facts.chainCost = std::min(kChainCostCeiling, facts.chainCost + producer.chainCost);
            counted.push_back(read.producer);
        }
        return facts;
    }

    [[nodiscard]] bool isReadingPlaces(NodeId id) const
    {
        return std::ranges::all_of(m_flow.reads[id.value], [this](const Read &read) {
            const auto *given = std::get_if<PlaceholderAttributes>(&m_graph.node(read.producer).attributes);
            const bool isDimension = given != nullptr && given->role == PlaceholderRole::Dimension;
            return isDimension || isLiteral(m_graph, read) || m_facts[read.producer.value].isOfPlaces;
        });
    }

    [[nodiscard]] bool isStored(NodeId id) const
    {
        return !m_flow.isComputed[id.value] || m_flow.storedViews[id.value] != StoredView::No ||
               m_graph.node(id).kind == NodeKind::Contiguous || isTransfer(m_graph.node(id).kind) || m_facts[id.value].isBoundary;
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

    // A leaf that is read in several ways counts as often: what matters is whether the value is larger than all of that.
    [[nodiscard]] std::int64_t leafBytesOf(NodeId id) const
    {
        CheckedSize bytes;
        for (const Read &read : m_flow.reads[id.value]) {
            const Node &producer = m_graph.node(read.producer);
            if (m_flow.isComputed[read.producer.value])
                bytes += m_facts[read.producer.value].leafBytes;
            else if (!isLiteral(m_graph, read) && producer.kind != NodeKind::Iota)
                bytes += CheckedSize(producer.shape.elements()) * bytesOf(producer.dtype);
        }
        return bytes.saturated();
    }

    [[nodiscard]] std::int64_t operandBytes(NodeId product) const
    {
        CheckedSize bytes;
        for (const Read &read : m_flow.reads[product.value]) {
            const Node &operand = m_graph.node(read.producer);
            bytes += CheckedSize(operand.shape.elements()) * bytesOf(operand.dtype);
        }
        return bytes.saturated();
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
    std::vector<Body> m_bodies;
};

} // namespace

std::vector<NodeFacts> factsOf(const Graph &graph, const Dataflow &flow)
{
    return FactsBuilder(graph, flow).build();
}

std::int64_t operationsOf(const Node &node)
{
    const bool isTwo = node.kind == NodeKind::Ternary && node.op != Op::Where; // a product and a sum, or two products
    return isTwo ? 2 : infoOf(node.kind).operations;
}

} // namespace sw
