#include "engine/passes/graph/permuted_values.h"

#include "engine/types/reshape_runs.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace sw {

namespace {

constexpr std::uint32_t kMostNodes = 32; // that an order goes through

template <class T>
std::vector<T> inOrder(const std::vector<T> &all, const AxisOrder &order)
{
    std::vector<T> made;
    for (const std::size_t axis : order)
        made.push_back(all[axis]);
    return made;
}

Shape inOrder(const Shape &shape, const AxisOrder &order)
{
    std::vector<std::int64_t> extents;
    for (const std::size_t axis : order)
        extents.push_back(shape[axis]);
    return Shape(std::move(extents));
}

// The order of the axes before a reshape that gives the axes behind it this order. Nothing: it would take runs apart.
std::optional<AxisOrder> orderBefore(const Shape &before, const Shape &after, const AxisOrder &order)
{
    std::vector<std::pair<AxisRun, AxisRun>> runs; // of the shape behind it, and before it
    for (auto next = nextRuns(after, before, {}, {}); next.first.begin < next.first.end;
         next = nextRuns(after, before, next.first, next.second))
        runs.push_back(next);
    AxisOrder made;
    std::size_t axis = 0;
    while (before.rank() > axis && before[axis] == 1)
        made.push_back(axis++);
    const std::size_t ones = made.size();
    for (auto at = order.begin(); at != order.end();) {
        if (after[*at] == 1) {
            ++at;
            continue;
        }
        const auto run = std::ranges::find_if(runs, [&](const auto &each) { return each.first.begin == *at; });
        if (run == runs.end())
            return std::nullopt;
        for (std::size_t expected = run->first.begin; expected < run->first.end; ++expected) {
            if (after[expected] == 1)
                continue;
            while (at != order.end() && after[*at] == 1)
                ++at;
            if (at == order.end() || *at != expected)
                return std::nullopt;
            ++at;
        }
        for (std::size_t own = run->second.begin; own < run->second.end; ++own)
            if (before[own] != 1)
                made.push_back(own);
    }
    for (std::size_t own = ones; own < before.rank(); ++own)
        if (before[own] == 1)
            made.push_back(own);
    return made;
}

std::size_t placeOf(const AxisOrder &order, std::size_t axis)
{
    return static_cast<std::size_t>(std::ranges::find(order, axis) - order.begin());
}

ViewAttributes viewInOrder(const ViewAttributes &view, const AxisOrder &order)
{
    return {inOrder(view.strides, order), view.offset, view.mask.empty() ? view.mask : inOrder(view.mask, order)};
}

// Of a node that does the same along each axis of its inputs, which are in that order too. Nothing: it is no such node.
std::optional<NodeAttributes> attributesInOrder(const Node &node, const AxisOrder &order)
{
    if (node.kind == NodeKind::Cat)
        return AxisAttributes{placeOf(order, attributesOf<AxisAttributes>(node).axis)};
    if (node.kind == NodeKind::ReduceAxis) {
        std::vector<std::size_t> axes;
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
            axes.push_back(placeOf(order, axis));
        std::ranges::sort(axes);
        return AxesAttributes{std::move(axes)};
    }
    if (const auto *pad = std::get_if<PadAttributes>(&node.attributes))
        return PadAttributes{inOrder(pad->before, order), inOrder(pad->after, order), pad->fill};
    if (const auto *kept = std::get_if<ShrinkAttributes>(&node.attributes))
        return ShrinkAttributes{inOrder(kept->begin, order), inOrder(kept->end, order)};
    const bool isOfElements = familyOf(node.kind) == NodeFamily::Elementwise && node.kind != NodeKind::Custom;
    return isOfElements || node.kind == NodeKind::Expand ? std::optional(node.attributes) : std::nullopt;
}

} // namespace

AxisOrder channelsLastOrder(std::size_t rank)
{
    AxisOrder order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    return order;
}

AxisOrder inverseOf(const AxisOrder &order)
{
    AxisOrder inverse(order.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis)
        inverse[order[axis]] = axis;
    return inverse;
}

PermutedValues::PermutedValues(const Graph &graph, GraphBuilder &builder, const std::vector<NodeId> &made)
    : m_graph(graph), m_builder(builder), m_made(made), m_readers(graph.size(), 0)
{
    m_readers[graph.sink().value] = 1;
    for (std::size_t i = graph.size(); i-- > 0;)
        if (m_readers[i] > 0)
            for (const NodeId input : graph.nodes()[i].inputs)
                ++m_readers[input.value];
}

Result<NodeId> PermutedValues::at(NodeId id, const AxisOrder &order, std::uint32_t depth)
{
    if (std::ranges::is_sorted(order))
        return m_made[id.value];
    if (const auto known = m_known.find({id, order}); known != m_known.end())
        return known->second;
    const Shape &shape = m_graph.node(id).shape;
    const bool isRead = depth >= kMostNodes || (depth > 0 && !mayBeMadeAnew(id)) || shape.isSymbolic() || shape.isEmpty();
    SW_TRY(const NodeId made, isRead ? readAcross(id, order) : madeInOrder(id, order, depth));
    m_known.try_emplace({id, order}, made);
    return made;
}

bool PermutedValues::mayBeMadeAnew(NodeId id) const
{
    return m_readers[id.value] == 1 || familyOf(m_graph.node(id).kind) == NodeFamily::Movement;
}

Result<NodeId> PermutedValues::readAcross(NodeId id, const AxisOrder &order)
{
    const Node &node = m_graph.node(id);
    m_builder.setScope(node.scope);
    return m_builder.permute(node.origin, m_made[id.value], order);
}

Result<NodeId> PermutedValues::madeInOrder(NodeId id, const AxisOrder &order, std::uint32_t depth)
{
    const Node &node = m_graph.node(id);
    if (node.kind == NodeKind::Permute)
        return at(node.inputs[0], inOrder(attributesOf<AxesAttributes>(node).axes, order), depth + 1);
    if (node.kind == NodeKind::Reshape)
        return reshapedInOrder(id, order, depth);
    Node made = node;
    made.shape = inOrder(node.shape, order);
    if (node.kind == NodeKind::View) { // reads its input in row-major order, whatever its own axes are
        made.attributes = viewInOrder(attributesOf<ViewAttributes>(node), order);
        made.inputs = {m_made[node.inputs[0].value]};
        return m_builder.addUnchecked(std::move(made));
    }
    std::optional<NodeAttributes> attributes = attributesInOrder(node, order);
    if (!attributes)
        return readAcross(id, order);
    made.attributes = *std::move(attributes);
    for (NodeId &input : made.inputs) {
        SW_TRY(input, at(input, order, depth + 1));
    }
    return m_builder.addUnchecked(std::move(made));
}

Result<NodeId> PermutedValues::reshapedInOrder(NodeId id, const AxisOrder &order, std::uint32_t depth)
{
    const Node &node = m_graph.node(id);
    const std::optional<AxisOrder> before = orderBefore(m_graph.node(node.inputs[0]).shape, node.shape, order);
    if (!before)
        return readAcross(id, order);
    Node made = node;
    made.shape = inOrder(node.shape, order);
    SW_TRY(made.inputs[0], at(node.inputs[0], *before, depth + 1));
    return m_builder.addUnchecked(std::move(made));
}

} // namespace sw
