#include "engine/passes/schedule/dataflow.h"

#include "engine/graph/kernel_body.h"
#include "engine/passes/schedule/load_values.h"
#include "engine/passes/schedule/transfers.h"

#include <algorithm>
#include <ranges>

namespace sw {

namespace {

// From this many reads per element on, a masked view that is read through windows or repetition is worth a copy.
constexpr double kRepeatsWorthPadding = 1.5; // a window of 3 x 3 that moves by 2, on a small image: 1.7
// A masked view that repeats elements itself (by its strides) is not copied: that would store every window.
constexpr double kWindowGrowth = 4.0;
constexpr std::int64_t kLeastRun =
    8; // elements side by side of what is padded, so that a vector is padding as a whole, or not at all
// Index arithmetic grows with every view that it goes through; kernels are made by following it.
constexpr std::uint32_t kMostViews = 200;
// A view that takes a position apart which is itself put together of quotients writes it down once for each axis: each such view
// doubles the arithmetic.
constexpr std::uint32_t kMostMixedViews = 8;

bool isView(const Node &node)
{
    return familyOf(node.kind) == NodeFamily::Movement;
}

// What such a node reads is in memory as a whole: a copy may take a part.
bool isTransferOfWholes(NodeKind kind)
{
    return isTransfer(kind) && kind != NodeKind::Copy;
}

bool hasBuffer(const Node &leaf)
{
    return !isLiteral(leaf);
}

std::vector<bool> liveNodes(const Graph &graph)
{
    std::vector<bool> isLive(graph.size(), false);
    isLive[graph.sink().value] = true;
    for (std::size_t i = graph.size(); i-- > 0;)
        if (isLive[i])
            for (const NodeId input : graph.nodes()[i].inputs)
                isLive[input.value] = true;
    return isLive;
}

class DataflowBuilder {
public:
    DataflowBuilder(const Graph &graph, std::span<const NodeId> joined)
        : m_graph(graph),
          m_isOutput(graph.size(), false),
          m_isSource(graph.size(), false),
          m_isCopied(graph.size(), false),
          m_isScanned(graph.size(), false)
    {
        m_flow.isLive = liveNodes(graph);
        m_flow.storedViews.assign(graph.size(), StoredView::No);
        for (const NodeId part : joined)
            m_flow.storedViews[part.value] = StoredView::JoinedPart;
        m_flow.kernels = kernelsAround(graph);
        m_flow.scans = scansOf(graph);
        m_flow.branches = branchesOf(graph, m_flow.scans, graph.outputs());
        for (const NodeId output : graph.outputs())
            m_isOutput[output.value] = true;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            const Node &node = graph.nodes()[i];
            if (m_flow.isLive[i] && familyOf(node.kind) == NodeFamily::Indexing)
                m_isSource[node.inputs[0].value] = true;
            if (m_flow.isLive[i] && node.kind == NodeKind::Copy)
                m_isCopied[node.inputs[0].value] = true;
            if (m_flow.isLive[i] && isTransferOfWholes(node.kind))
                for (const NodeId input : node.inputs)
                    m_isScanned[input.value] = true;
        }
    }

    Dataflow build() &&
    {
        resolve();
        if (markPaddedViews())
            resolve();
        m_flow.isOutput.assign(m_graph.size(), false);
        for (const NodeId output : m_graph.outputs()) {
            const NodeId holder = m_flow.storedViews[output.value] != StoredView::No ? output : m_flow.bases[output.value];
            m_flow.outputs.push_back(holder);
            m_flow.isOutput[holder.value] = true;
        }
        for (const auto &reads : m_flow.reads)
            for (const Read &read : reads)
                if (m_flow.isComputed[read.producer.value] && !isLiteral(m_graph, read))
                    m_flow.readers[read.producer.value].push_back(read);
        m_flow.isOfLoad = loadValuesOf(m_graph, m_flow);
        return std::move(m_flow);
    }

private:
    // Finds the base and access of every node, and what each computed node reads.
    void resolve()
    {
        const std::size_t size = m_graph.size();
        m_flow.isComputed.assign(size, false);
        m_flow.bases.assign(size, NodeId());
        m_flow.accesses.assign(size, Access());
        m_flow.reads.assign(size, {});
        m_isAskedFor.assign(size, false);
        m_views.assign(size, 0);
        m_mixed.assign(size, 0);
        m_flow.readers.assign(size, {});
        for (std::size_t i = 0; i + 1 < size; ++i)
            if (m_flow.isLive[i])
                resolve(NodeId(i));
    }

    void resolve(NodeId id)
    {
        const Node &node = m_graph.node(id);
        StoredView &stored = m_flow.storedViews[id.value];
        if (isView(node)) {
            const NodeId input = node.inputs[0];
            m_flow.bases[id.value] = m_flow.bases[input.value];
            m_flow.accesses[id.value] =
                composed(viewAccess(m_graph, node), m_graph.node(input).shape, m_flow.accesses[input.value]);
            m_isAskedFor[id.value] = node.kind == NodeKind::Fuse || m_isAskedFor[input.value];
            m_views[id.value] = m_views[input.value] + 1;
            const bool isMixed = node.kind == NodeKind::Reshape && !m_flow.accesses[id.value].isStrided;
            m_mixed[id.value] = m_mixed[input.value] + (isMixed ? 1 : 0);
        } else {
            m_flow.bases[id.value] = id;
            m_flow.accesses[id.value] = identityAccess(node.shape);
            // A kernel may go on through it.
            if (familyOf(node.kind) == NodeFamily::Elementwise)
                for (const NodeId input : node.inputs)
                    m_mixed[id.value] = std::max(m_mixed[id.value], m_mixed[input.value]);
        }
        if (stored == StoredView::No && !isInMemoryAsItIs(id)) {
            if (m_isSource[id.value])
                stored = StoredView::LookupSource;
            else if (m_isOutput[id.value])
                stored = StoredView::Output;
            else if (m_isScanned[id.value] || (m_isCopied[id.value] && !canBeCopiedAsItIs(id)))
                stored = StoredView::CopySource;
        }
        if (stored == StoredView::No && (m_views[id.value] > kMostViews || (isView(node) && m_mixed[id.value] > kMostMixedViews)))
            stored = StoredView::LongChain;
        const bool isLeaf = familyOf(node.kind) == NodeFamily::Leaf;
        m_flow.isComputed[id.value] = stored != StoredView::No || (!isView(node) && !isLeaf);
        if (!m_flow.isComputed[id.value])
            return;
        addReads(id);
        m_views[id.value] = 0;
        if (stored != StoredView::No)
            m_mixed[id.value] = 0;
        m_isAskedFor[id.value] = false;
        m_flow.bases[id.value] = id;
        m_flow.accesses[id.value] = identityAccess(node.shape);
    }

    // Whether its elements in row-major order are those of a leaf with a buffer or of a computed node.
    [[nodiscard]] bool isInMemoryAsItIs(NodeId id) const
    {
        const NodeId base = m_flow.bases[id.value];
        const Node &node = m_graph.node(id);
        return hasBuffer(m_graph.node(base)) && isPlain(m_flow.accesses[id.value], node.shape) &&
               node.shape.elements() == m_graph.node(base).shape.elements();
    }

    [[nodiscard]] bool canBeCopiedAsItIs(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        return hasBuffer(m_graph.node(m_flow.bases[id.value])) &&
               regionRead(m_flow.accesses[id.value], node.shape, bytesOf(node.dtype)).has_value();
    }

    void addReads(NodeId id)
    {
        const Node &node = m_graph.node(id);
        // The other inputs of a Kernel node are read by the nodes inside it.
        const std::size_t slots = node.kind == NodeKind::Kernel ? 1 : node.inputs.size();
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const NodeId input = node.inputs[slot];
            Read read{m_flow.bases[input.value], id, ReadKind::Elements, m_flow.accesses[input.value], node.shape.elements()};
            read.isAskedFor = m_isAskedFor[isView(node) ? id.value : input.value];
            if (node.kind == NodeKind::ReduceAxis) {
                read.kind = ReadKind::Reduced;
                read.positions = m_graph.node(input).shape.elements();
            } else if ((familyOf(node.kind) == NodeFamily::Indexing && slot == 0) || node.kind == NodeKind::Copy) {
                read.kind = ReadKind::Lookup;
            } else if (isTransferOfWholes(node.kind)) {
                read.kind = ReadKind::Lookup;
                read.access = {}; // as a whole, whatever its axes
            } else if (node.kind == NodeKind::Cat) {
                read.access = composed(catAccess(m_graph, node, slot), m_graph.node(input).shape, read.access);
            } else if (isView(node)) {
                read.access = m_flow.accesses[id.value]; // resolved as a view just before
            }
            m_flow.reads[id.value].push_back(std::move(read));
        }
    }

    // The reduction that consumes all elements of an elementwise node, one-to-one: the node is of its body, as it is itself.
    [[nodiscard]] std::vector<NodeId> reductionsOfBodies() const
    {
        std::vector<NodeId> reductions(m_graph.size());
        for (std::size_t i = m_graph.size(); i-- > 0;) {
            if (m_graph.nodes()[i].kind == NodeKind::ReduceAxis && m_flow.isComputed[i])
                reductions[i] = NodeId(i);
            if (!reductions[i].isValid())
                continue;
            for (const Read &read : m_flow.reads[i])
                if (read.access.isBijection && familyOf(m_graph.node(read.producer).kind) == NodeFamily::Elementwise)
                    reductions[read.producer.value] = reductions[i];
        }
        return reductions;
    }

    // The masked view nearest to each node on the way to its base.
    [[nodiscard]] std::vector<NodeId> nearestMasks() const
    {
        std::vector<NodeId> masks(m_graph.size());
        for (std::size_t i = 0; i + 1 < m_graph.size(); ++i) {
            const Node &node = m_graph.nodes()[i];
            if (!m_flow.isLive[i] || !isView(node) || m_flow.isComputed[i])
                continue;
            masks[i] = viewAccess(m_graph, node).isMasked ? NodeId(i) : masks[node.inputs[0].value];
        }
        return masks;
    }

    // Marks padded views as stored if the inner loop of a reduction would evaluate them again and again.
    bool markPaddedViews()
    {
        const std::vector<NodeId> masks = nearestMasks();
        const std::vector<NodeId> reductions = reductionsOfBodies();
        bool isAnyMarked = false;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Node &node = m_graph.nodes()[i];
            if (!reductions[i].isValid() || m_flow.kernels[i].isValid())
                continue;
            for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
                if (m_isAskedFor[node.inputs[slot].value])
                    continue;
                const NodeId mask = masks[node.inputs[slot].value];
                const Read &read = m_flow.reads[i][slot];
                if (!mask.isValid() || !isWorthStoring(mask, read.positions) ||
                    isReadInRuns(mask, node.inputs[slot], reductions[i]))
                    continue;
                m_flow.storedViews[mask.value] = StoredView::PaddedForReduction;
                isAnyMarked = true;
            }
        }
        return isAnyMarked;
    }

    [[nodiscard]] bool isWorthStoring(NodeId mask, std::int64_t positions) const
    {
        const auto elements = static_cast<double>(m_graph.node(mask).shape.elements());
        const auto read = static_cast<double>(m_graph.node(m_graph.node(mask).inputs[0]).shape.elements());
        return elements > 0 && static_cast<double>(positions) >= kRepeatsWorthPadding * elements &&
               elements <= kWindowGrowth * std::max(read, 1.0);
    }

    // Whether what is padded lies in memory in runs that are padding as a whole or not at all, such as all channels of a pixel,
    // which results of the reduction that lie side by side read side by side. Its vectors need no mask then, only an address.
    [[nodiscard]] bool isReadInRuns(NodeId mask, NodeId read, NodeId reduction) const
    {
        const Node &pad = m_graph.node(mask);
        const Node &body = m_graph.node(m_graph.node(reduction).inputs[0]);
        if (pad.kind != NodeKind::Pad || pad.shape.rank() == 0 || body.shape != m_graph.node(read).shape)
            return false;
        const auto run = static_cast<std::uint32_t>(pad.shape.rank() - 1);
        const auto &amounts = attributesOf<PadAttributes>(pad);
        const auto isStepOfOne = [](const AccessTerm &term) { return term.stride == 1; };
        const Access &stored = m_flow.accesses[pad.inputs[0].value];
        const auto along = std::ranges::find_if(stored.terms, isStepOfOne);
        if (stored.isMasked || amounts.before[run] != 0 || amounts.after[run] != 0 || along == stored.terms.end() ||
            along->axis != run || along->extent < kLeastRun)
            return false;
        std::vector<NodeId> views;
        for (NodeId id = read; id != mask; id = m_graph.node(id).inputs[0])
            views.push_back(id);
        Access access = identityAccess(pad.shape);
        for (const NodeId id : views | std::views::reverse)
            access = composed(viewAccess(m_graph, m_graph.node(id)), m_graph.node(m_graph.node(id).inputs[0]).shape, access);
        const auto moved = std::ranges::find_if(access.terms, isStepOfOne);
        const std::vector<std::size_t> &reduced = attributesOf<AxesAttributes>(m_graph.node(reduction)).axes;
        return access.isStrided && moved != access.terms.end() && std::ranges::find(reduced, moved->axis) == reduced.end();
    }

    const Graph &m_graph;
    Dataflow m_flow;
    std::vector<bool> m_isOutput;
    std::vector<bool> m_isSource; // of lookups
    std::vector<bool> m_isCopied;
    std::vector<bool> m_isScanned;      // a scan begins with it, slices it, hands it on or collects it; or a Choose node reads it
    std::vector<bool> m_isAskedFor;     // read through a Fuse node
    std::vector<std::uint32_t> m_views; // by node: how many lead to its base
    std::vector<std::uint32_t> m_mixed; // by node: how many mixed ones lead to what is stored, see kMostMixedViews
};

} // namespace

Dataflow dataflowOf(const Graph &graph, std::span<const NodeId> joined)
{
    return DataflowBuilder(graph, joined).build();
}

} // namespace sw
