#include "engine/passes/graph/branch_price.h"

#include "engine/graph/evaluate_node.h"
#include "engine/passes/graph/constants.h"
#include "engine/passes/schedule/priced_work.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

// What one branch does, as far as the graph tells.
struct BranchWork {
    double pricedWork = 0;
    double bytes = 0;
    double launches = 0;
    std::set<NodeId> read; // outside of the branch

    [[nodiscard]] double nanoseconds(const RooflineFigures &figures) const
    {
        return launches * figures.launchNanoseconds +
               std::max(pricedWork / figures.operationsPerNanosecond, bytes / figures.memoryBytesPerNanosecond);
    }
};

class Pricing {
public:
    Pricing(const Graph &graph, const RooflineFigures &figures)
        : m_graph(graph),
          m_figures(figures),
          m_scans(scansOf(graph)),
          m_branches(branchesOf(graph, m_scans, graph.outputs())),
          m_known(graph.size())
    {
    }

    std::map<NodeId, BranchPrice> prices() &&
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            add(NodeId(i));
        for (auto &[condition, price] : m_prices) {
            price.whenTrue = m_work[{condition, true}].nanoseconds(m_figures);
            price.whenFalse = m_work[{condition, false}].nanoseconds(m_figures);
            price.asking += m_reads[condition] * m_figures.launchNanoseconds;
        }
        return std::move(m_prices);
    }

private:
    using Branch = std::pair<NodeId, bool>;

    void add(NodeId id)
    {
        const Node &node = m_graph.node(id);
        note(id);
        if (node.kind == NodeKind::Choose)
            addChoice(node, stepsOf(id));
        for (const Requirement &one : m_branches.of(id))
            addTo(m_work[{one.condition, one.wanted}], id, one);
    }

    void note(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const NodeFamily family = familyOf(node.kind);
        const bool isConstant = node.kind == NodeKind::Vconst || isLiteral(node);
        const bool isComputed =
            (family == NodeFamily::Elementwise && node.kind != NodeKind::Custom) || family == NodeFamily::Movement;
        if ((!isConstant && !isComputed) || node.shape.elements() > kMaxFoldedElements)
            return;
        std::vector<HostTensor> inputs;
        for (const NodeId input : node.inputs) {
            if (!m_known[input.value])
                return;
            inputs.push_back(*m_known[input.value]);
        }
        if (Result<HostTensor> value = evaluateNode(node, inputs, {}))
            m_known[id.value] = std::move(*value);
    }

    // Whether no index of the lookup can be outside of its axis, because all of them are known.
    [[nodiscard]] bool isInRange(const Node &lookup) const
    {
        const std::optional<HostTensor> &indices = m_known[lookup.inputs[1].value];
        const Shape &source = m_graph.node(lookup.inputs[0]).shape;
        const std::int64_t extent =
            lookup.kind == NodeKind::Gather ? source[attributesOf<AxisAttributes>(lookup).axis] : source.elements();
        for (std::int64_t i = 0; indices && i < indices->elements(); ++i)
            if (const std::int64_t index = indices->at(i).asInt(); index < 0 || index >= extent)
                return false;
        return indices.has_value();
    }

    [[nodiscard]] double stepsOf(NodeId id) const
    {
        const std::uint32_t scan = m_scans.bodyOf(id);
        return scan == kNoScan ? 1 : static_cast<double>(m_scans.scans[scan].steps);
    }

    [[nodiscard]] double bytesOfValue(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        return static_cast<double>(node.shape.elements()) * static_cast<double>(bytesOf(node.dtype));
    }

    // Without what is done along with it.
    [[nodiscard]] std::int64_t ownWorkOf(const Node &node) const
    {
        std::int64_t work = pricedWorkOf(node);
        for (const NodeId operand : doneAlong(m_graph, node, FuseProducts::Yes))
            work -= pricedWorkOf(m_graph.node(operand));
        return work;
    }

    // The condition is read once for all choices that it makes.
    void addChoice(const Node &node, double steps)
    {
        const double bytes = static_cast<double>(node.shape.elements()) * static_cast<double>(bytesOf(node.dtype));
        m_prices[node.inputs[0]].asking += steps * (m_figures.launchNanoseconds + 2 * bytes / m_figures.memoryBytesPerNanosecond);
        m_reads[node.inputs[0]] = std::max(m_reads[node.inputs[0]], steps);
    }

    void addTo(BranchWork &work, NodeId id, const Requirement &branch)
    {
        const Node &node = m_graph.node(id);
        const double steps = stepsOf(id);
        const bool isReduction = node.kind == NodeKind::ReduceAxis;
        const Shape &domain = isReduction ? m_graph.node(node.inputs[0]).shape : node.shape;
        work.pricedWork += steps * static_cast<double>(domain.elements()) * static_cast<double>(ownWorkOf(node));
        const bool isKernel = isReduction || (node.kind != NodeKind::Choose && isTransfer(node.kind)) ||
                              familyOf(node.kind) == NodeFamily::Indexing || node.kind == NodeKind::Contiguous;
        if (isKernel) {
            work.launches += steps;
            work.bytes += 2 * steps * bytesOfValue(id); // to memory, and back to its readers
        }
        if (familyOf(node.kind) == NodeFamily::Indexing && !isInRange(node))
            m_prices[branch.condition].mayFault = true;
        for (const NodeId input : node.inputs)
            if (!isLiteral(m_graph.node(input)) &&
                std::ranges::find(m_branches.of(input), branch) == m_branches.of(input).end() && work.read.insert(input).second)
                work.bytes += steps * bytesOfValue(input);
    }

    const Graph &m_graph;
    const RooflineFigures &m_figures;
    ScanMap m_scans;
    BranchMap m_branches;
    std::vector<std::optional<HostTensor>> m_known; // by node: the values of small ones that are computed from constants
    std::map<Branch, BranchWork> m_work;
    std::map<NodeId, BranchPrice> m_prices;
    std::map<NodeId, double> m_reads; // by condition: how often the host reads it
};

} // namespace

std::map<NodeId, BranchPrice> branchPricesOf(const Graph &graph, const RooflineFigures &figures)
{
    if (std::ranges::none_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Choose; }))
        return {};
    return Pricing(graph, figures).prices();
}

std::string toText(const BranchPrice &price)
{
    if (price.mayFault)
        return "its branches look elements up, and an index of the one that is not chosen may be out of range";
    return format(
        "its branches take {:.0f} ns and {:.0f} ns: computing only the one that is chosen saves {:.0f} ns on average and "
        "costs {:.0f} ns",
        price.whenTrue, price.whenFalse, price.saved(), price.asking);
}

} // namespace sw
