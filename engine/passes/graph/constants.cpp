#include "engine/passes/graph/constants.h"

#include "engine/graph/evaluate_node.h"

#include <array>

namespace sw {

namespace {

// The kinds that move elements without making new values.
bool onlyMoves(NodeKind kind)
{
    return kind == NodeKind::Reshape || kind == NodeKind::Expand || kind == NodeKind::Permute || kind == NodeKind::Shrink ||
           kind == NodeKind::Flip;
}

} // namespace

std::optional<Scalar> splatOf(const GraphBuilder &builder, NodeId id)
{
    const Node *node = &builder.node(id);
    while (onlyMoves(node->kind))
        node = &builder.node(node->inputs[0]);
    if (node->kind == NodeKind::ConstScalar)
        return attributesOf<ScalarAttributes>(*node).value;
    if (node->kind == NodeKind::Vconst && node->shape.elements() == 1)
        return attributesOf<TensorAttributes>(*node).value->at(0);
    return std::nullopt;
}

std::optional<HostTensor> constantOf(const GraphBuilder &builder, NodeId id)
{
    const Node &node = builder.node(id);
    if (node.shape.elements() > kMaxFoldedElements)
        return std::nullopt;
    if (const auto splat = splatOf(builder, id))
        return HostTensor::filled(*splat, node.shape);
    if (node.kind == NodeKind::Vconst)
        return *attributesOf<TensorAttributes>(node).value;
    if (!onlyMoves(node.kind))
        return std::nullopt;
    const auto input = constantOf(builder, node.inputs[0]);
    if (!input)
        return std::nullopt;
    auto moved = evaluateNode(node, std::array{*input}, {});
    SW_ASSERT(moved.has_value(), "an evaluation that nobody can stop");
    return std::move(moved).value();
}

} // namespace sw
