#include "engine/passes/graph/axis_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMostNodes = 64; // between a value and the factors that it is made of

// The axes of several elements, when both shapes have the same ones in the same order.
std::optional<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> sameAxes(const Shape &from, const Shape &to)
{
    std::pair<std::vector<std::size_t>, std::vector<std::size_t>> axes;
    for (std::size_t axis = 0; axis < from.rank(); ++axis)
        if (from[axis] != 1)
            axes.first.push_back(axis);
    for (std::size_t axis = 0; axis < to.rank(); ++axis)
        if (to[axis] != 1)
            axes.second.push_back(axis);
    const auto extentOf = [](const Shape &shape) { return [&shape](std::size_t axis) { return shape[axis]; }; };
    if (!std::ranges::equal(axes.first, axes.second, {}, extentOf(from), extentOf(to)))
        return std::nullopt;
    return axes;
}

bool isOfOneShape(const Node &node)
{
    return node.kind == NodeKind::Unary || node.kind == NodeKind::Binary || node.kind == NodeKind::Ternary ||
           node.kind == NodeKind::Cast;
}

// The place of an axis once the axis of the parts stands before it or behind it.
std::size_t shifted(std::size_t axis, std::size_t before)
{
    return axis + (axis >= before ? 1 : 0);
}

} // namespace

std::optional<std::size_t> axisBeforeView(const Graph &graph, const Node &view, std::size_t axis)
{
    if (view.kind != NodeKind::Expand && view.kind != NodeKind::Permute && view.kind != NodeKind::Reshape)
        return std::nullopt;
    const Shape &from = graph.node(view.inputs.front()).shape;
    if (view.kind == NodeKind::Expand)
        return from[axis] == view.shape[axis] ? std::optional(axis) : std::nullopt;
    if (view.kind == NodeKind::Permute)
        return attributesOf<AxesAttributes>(view).axes.at(axis);
    const auto axes = sameAxes(from, view.shape);
    if (!axes)
        return std::nullopt;
    const auto at = std::ranges::find(axes->second, axis);
    return at == axes->second.end() ? std::nullopt
                                    : std::optional(axes->first[static_cast<std::size_t>(at - axes->second.begin())]);
}

Shape ValueInParts::shapeOf(const Shape &shape, AxisInParts where) const
{
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    const bool isThere = extents[where.axis] != 1;
    if (isThere)
        extents[where.axis] = m_parts.steps;
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(where.before), isThere ? m_parts.parts() : 1);
    return Shape(extents);
}

Result<NodeId> ValueInParts::begin(NodeId id, AxisInParts where, Place place)
{
    m_nodes = 0;
    return made(id, where, place);
}

Result<NodeId> ValueInParts::made(NodeId id, AxisInParts where, Place place)
{
    const auto known = m_known.find({id, where});
    if (known != m_known.end())
        return known->second;
    std::optional<NodeId> found;
    if (++m_nodes <= kMostNodes) {
        SW_TRY(found, rebuilt(id, where, place));
    }
    if (!found) {
        SW_TRY(found, viewed(id, where));
    }
    m_known[{id, where}] = *found;
    return *found;
}

// Nothing: its elements are taken as they are.
Result<std::optional<NodeId>> ValueInParts::rebuilt(NodeId id, AxisInParts where, Place place)
{
    const Node &node = m_graph.node(id);
    const bool fits =
        std::ranges::all_of(node.inputs, [&](NodeId input) { return m_graph.node(input).shape.rank() < Shape::kMaxRank; });
    if (!fits || node.shape[where.axis] == 1)
        return std::optional<NodeId>();
    const bool isSum = node.kind == NodeKind::ReduceAxis && place == Place::Value && m_readers[id.value] == 1;
    if (!isSum && !(isOfOneShape(node) && place != Place::Factor))
        return throughView(node, where, place);
    // The sums under what others need, too, would be made twice.
    const bool isShared = m_nodes > 1 && m_readers[id.value] > 1;
    Node copy = node;
    copy.shape = shapeOf(node.shape, where);
    for (NodeId &input : copy.inputs) {
        SW_TRY(input, made(input, where, isSum || isShared ? Place::Product : place));
    }
    if (isSum) {
        auto &axes = std::get<AxesAttributes>(copy.attributes).axes;
        for (std::size_t &axis : axes)
            axis = shifted(axis, where.before);
    }
    return std::optional(m_builder.addUnchecked(std::move(copy)));
}

Result<std::optional<NodeId>> ValueInParts::throughView(const Node &node, AxisInParts where, Place place)
{
    if (node.kind != NodeKind::Expand && node.kind != NodeKind::Permute && node.kind != NodeKind::Reshape)
        return std::optional<NodeId>();
    const NodeId input = node.inputs.front();
    const Shape &from = m_graph.node(input).shape;
    const Shape shape = shapeOf(node.shape, where);
    if (node.kind == NodeKind::Expand) {
        const Place next = place == Place::Product ? Place::Factor : place;
        NodeId inner = m_made[input.value];
        if (from[where.axis] != 1) {
            SW_TRY(inner, made(input, where, next));
        } else {
            SW_TRY(inner, m_builder.reshape(node.origin, inner, shapeOf(from, where)));
        }
        SW_TRY(const NodeId expanded, m_builder.expand(node.origin, inner, shape));
        return std::optional(expanded);
    }
    const std::optional<std::size_t> axis = axisBeforeView(m_graph, node, where.axis);
    if (!axis)
        return std::optional<NodeId>();
    if (node.kind == NodeKind::Permute) {
        const std::vector<std::size_t> &axes = attributesOf<AxesAttributes>(node).axes;
        const AxisInParts before{*axis, axes.at(where.before)};
        SW_TRY(const NodeId inner, made(input, before, place));
        std::vector<std::size_t> order;
        for (const std::size_t each : axes)
            order.push_back(shifted(each, before.before));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(where.before), before.before);
        SW_TRY(const NodeId permuted, m_builder.permute(node.origin, inner, std::move(order)));
        return std::optional(permuted);
    }
    // Before the first axis of several elements that is not in front of the parts' axis.
    const auto axes = sameAxes(from, node.shape);
    const auto behind = std::ranges::find_if(axes->second, [&](std::size_t each) { return each >= where.before; });
    const auto number = static_cast<std::size_t>(behind - axes->second.begin());
    const AxisInParts before{*axis, number < axes->first.size() ? axes->first[number] : from.rank()};
    SW_TRY(const NodeId inner, made(input, before, place));
    SW_TRY(const NodeId reshaped, m_builder.reshape(node.origin, inner, shape));
    return std::optional(reshaped);
}

Result<NodeId> ValueInParts::viewed(NodeId id, AxisInParts where)
{
    const Node &node = m_graph.node(id);
    const Origin &origin = node.origin;
    NodeId value = m_made[id.value];
    if (node.shape[where.axis] == 1)
        return m_builder.reshape(origin, value, shapeOf(node.shape, where));
    std::vector<std::int64_t> extents(node.shape.begin(), node.shape.end());
    if (m_parts.begin != 0 || m_parts.end != extents[where.axis]) {
        ShrinkAttributes range{std::vector<std::int64_t>(extents.size(), 0), extents};
        range.begin[where.axis] = m_parts.begin;
        range.end[where.axis] = m_parts.end;
        SW_TRY(value, m_builder.shrink(origin, value, std::move(range)));
    }
    extents[where.axis] = m_parts.parts();
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(where.axis) + 1, m_parts.steps);
    SW_TRY(value, m_builder.reshape(origin, value, Shape(extents)));
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(where.axis));
    // An axis behind the one that is taken apart has moved on by one.
    const std::size_t before = where.before;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(before), where.axis);
    return m_builder.permute(origin, value, std::move(order));
}

} // namespace sw
