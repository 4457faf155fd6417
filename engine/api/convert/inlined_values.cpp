#include "engine/api/convert/inlined_values.h"

#include <algorithm>

namespace sw {

namespace {

// Whether a reshape only puts axes of extent 1 in front.
bool addsLeadingAxes(const Shape &from, const Shape &to)
{
    if (from.rank() >= to.rank())
        return false;
    const std::size_t added = to.rank() - from.rank();
    return std::ranges::all_of(to.extents().first(added), [](std::int64_t extent) { return extent == 1; }) &&
           std::ranges::equal(to.extents().subspan(added), from.extents());
}

} // namespace

InlinedValues::InlinedValues(const Graph &graph, std::span<const NodeId> kept)
    : m_graph(graph), m_users(graph.users()), m_isInlined(graph.size(), false)
{
    std::vector<bool> isKept(graph.size(), false);
    for (const NodeId id : kept)
        isKept[id.value] = true;
    for (std::size_t i = graph.size() - 1; i-- > 0;) // users first
        m_isInlined[i] = !isKept[i] && isInlined(NodeId(i));
}

const Scalar *InlinedValues::numberOf(NodeId id) const
{
    const Node *node = &m_graph.node(id);
    if (node->kind == NodeKind::Expand)
        node = &m_graph.node(node->inputs[0]);
    if (node->kind == NodeKind::Reshape &&
        std::ranges::all_of(node->shape.extents(), [](std::int64_t extent) { return extent == 1; }))
        node = &m_graph.node(node->inputs[0]);
    const auto *number = node->kind == NodeKind::ConstScalar ? &attributesOf<ScalarAttributes>(*node).value : nullptr;
    return number == nullptr || number->dtype() == DType::U32x4 || number->isNan() ? nullptr : number;
}

bool InlinedValues::isFull(NodeId id) const
{
    return m_graph.node(id).kind == NodeKind::Expand && numberOf(id) != nullptr && !m_isInlined[id.value];
}

bool InlinedValues::isInlined(NodeId id) const
{
    const Node &node = m_graph.node(id);
    const std::vector<NodeId> &users = m_users[id.value];
    const auto forAll = [&](auto holds) { return !users.empty() && std::ranges::all_of(users, holds); };
    if (numberOf(id) != nullptr)
        return forAll([&](NodeId user) { return isReadAsNumber(user, id); });
    if (node.kind == NodeKind::Expand)
        return forAll([&](NodeId user) { return isRepeatedBy(user, id); });
    if (node.kind == NodeKind::Reshape && addsLeadingAxes(m_graph.node(node.inputs[0]).shape, node.shape))
        return forAll([&](NodeId user) { return m_graph.node(user).kind == NodeKind::Expand && m_isInlined[user.value]; });
    return false;
}

bool InlinedValues::isReadAsNumber(NodeId user, NodeId operand) const
{
    const Node &node = m_graph.node(user);
    if (node.kind == NodeKind::Reshape || node.kind == NodeKind::Expand)
        return numberOf(user) != nullptr && (m_isInlined[user.value] || isFull(user));
    const bool isChoice = node.kind == NodeKind::Ternary && node.op == Op::Where && node.inputs[0] != operand;
    if (node.kind != NodeKind::Binary && !isChoice)
        return false;
    const NodeId second = node.inputs[node.inputs.size() - 1];
    const NodeId first = node.inputs[node.inputs.size() - 2];
    const NodeId otherId = first == operand ? second : first;
    const Node &other = m_graph.node(otherId);
    return otherId != operand && numberOf(otherId) == nullptr && other.kind != NodeKind::Expand &&
           other.shape == m_graph.node(operand).shape && other.dtype == m_graph.node(operand).dtype && other.dtype != DType::Bool;
}

// Some other operand has the whole shape as it is.
bool InlinedValues::isRepeatedBy(NodeId user, NodeId expanded) const
{
    const Node &node = m_graph.node(user);
    if (node.kind != NodeKind::Binary && node.kind != NodeKind::Ternary)
        return false;
    return std::ranges::any_of(node.inputs, [&](NodeId other) {
        return other != expanded && m_graph.node(other).kind != NodeKind::Expand && numberOf(other) == nullptr;
    });
}

} // namespace sw
