#include "engine/graph/dimension_terms.h"

#include <algorithm>

namespace sw {

namespace {

// Graphs are deep, and what is looked for is not: so many nodes are looked at.
constexpr int kMostNodes = 64;

std::optional<SymbolicExpr> known(Result<SymbolicExpr> made)
{
    return made ? std::optional(std::move(made).value()) : std::nullopt;
}

bool isRepeatedOrReshaped(NodeKind kind)
{
    return kind == NodeKind::Expand || kind == NodeKind::Reshape;
}

std::optional<SymbolicExpr> combined(Op op, const SymbolicExpr &left, const SymbolicExpr &right)
{
    if (op == Op::Add)
        return known(add(left, right));
    if (op == Op::Sub)
        return known(subtract(left, right));
    if (op == Op::Mul)
        return known(multiply(left, right));
    if (op == Op::FloorDiv)
        return known(divide(left, right));
    if (op == Op::FloorMod)
        return known(modulo(left, right));
    if (op == Op::Min)
        return known(minimum(left, right));
    if (op == Op::Max)
        return known(maximum(left, right));
    return std::nullopt;
}

std::optional<SymbolicExpr> exprOf(const Graph &graph, NodeId id, int &budget)
{
    const Node &node = graph.node(id);
    if (node.dtype != DType::I64 || budget-- <= 0)
        return std::nullopt;
    if (const auto *scalar = std::get_if<ScalarAttributes>(&node.attributes))
        return SymbolicExpr(scalar->value.asInt());
    if (const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes))
        return given->dimension ? std::optional(SymbolicExpr(*given->dimension)) : std::nullopt;
    if (isRepeatedOrReshaped(node.kind))
        return exprOf(graph, node.inputs[0], budget);
    if (node.kind != NodeKind::Binary)
        return std::nullopt;
    const auto first = exprOf(graph, node.inputs[0], budget);
    const auto second = first ? exprOf(graph, node.inputs[1], budget) : std::nullopt;
    return second ? combined(node.op, *first, *second) : std::nullopt;
}

// The axis of the view's result along which it moves as its input moves along `axis`, where all else stays the same.
std::optional<std::size_t> axisThrough(const Graph &graph, const Node &view, std::size_t axis)
{
    const Shape &from = graph.node(view.inputs[0]).shape;
    if (view.kind == NodeKind::Expand)
        return from[axis] == view.shape[axis] ? std::optional(axis) : std::nullopt;
    if (view.kind == NodeKind::Permute) {
        const auto &axes = attributesOf<AxesAttributes>(view).axes;
        return static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
    }
    if (view.kind != NodeKind::Reshape || from.elements() != from[axis])
        return std::nullopt;
    const auto at = std::ranges::find(view.shape, from[axis]);
    return at == view.shape.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - view.shape.begin()));
}

// The axis whose index the node is.
std::optional<std::size_t> indexAxisOf(const Graph &graph, NodeId id, int &budget)
{
    const Node &node = graph.node(id);
    if (node.kind == NodeKind::Iota)
        return 0;
    if (budget-- <= 0 || !(isRepeatedOrReshaped(node.kind) || node.kind == NodeKind::Permute))
        return std::nullopt;
    const auto inner = indexAxisOf(graph, node.inputs[0], budget);
    return inner ? axisThrough(graph, node, *inner) : std::nullopt;
}

std::vector<BelowEnd> belowEnds(const Graph &graph, NodeId id, int &budget)
{
    const Node &node = graph.node(id);
    if (budget-- <= 0)
        return {};
    if (isRepeatedOrReshaped(node.kind) || node.kind == NodeKind::Permute) {
        std::vector<BelowEnd> found;
        for (BelowEnd &below : belowEnds(graph, node.inputs[0], budget))
            if (const auto axis = axisThrough(graph, node, below.axis))
                found.push_back({*axis, std::move(below.end)});
        return found;
    }
    if (node.kind != NodeKind::Binary)
        return {};
    if (node.op == Op::And) {
        std::vector<BelowEnd> found = belowEnds(graph, node.inputs[0], budget);
        for (BelowEnd &below : belowEnds(graph, node.inputs[1], budget))
            found.push_back(std::move(below));
        return found;
    }
    if (node.op != Op::Cmplt)
        return {};
    const auto axis = indexAxisOf(graph, node.inputs[0], budget);
    auto end = axis ? exprOf(graph, node.inputs[1], budget) : std::nullopt;
    return end ? std::vector<BelowEnd>{{*axis, std::move(*end)}} : std::vector<BelowEnd>{};
}

std::optional<SymbolicExpr> strictBound(const Graph &graph, NodeId id, int &budget)
{
    const Node &node = graph.node(id);
    if (budget-- <= 0)
        return std::nullopt;
    if (const auto expr = exprOf(graph, id, budget))
        return known(add(*expr, 1));
    if (isRepeatedOrReshaped(node.kind) || node.kind == NodeKind::Permute)
        return strictBound(graph, node.inputs[0], budget);
    if (node.kind != NodeKind::Binary || node.op != Op::Min)
        return std::nullopt;
    for (const NodeId input : node.inputs)
        if (auto bound = strictBound(graph, input, budget))
            return bound;
    return std::nullopt;
}

} // namespace

std::optional<SymbolicExpr> dimensionExprOf(const Graph &graph, NodeId node)
{
    int budget = kMostNodes;
    return exprOf(graph, node, budget);
}

std::vector<BelowEnd> belowEndsOf(const Graph &graph, NodeId condition)
{
    int budget = kMostNodes;
    return belowEnds(graph, condition, budget);
}

std::vector<BelowEnd> maskedEndsOf(const Graph &graph, const Node &reduction)
{
    const auto &axes = attributesOf<AxesAttributes>(reduction).axes;
    std::vector<BelowEnd> found;
    NodeId input = reduction.inputs[0];
    for (int nodes = 0; nodes < kMostNodes; ++nodes) {
        const Node &masked = graph.node(input);
        if (masked.kind != NodeKind::Ternary || masked.op != Op::Where)
            break;
        const Node *otherwise = &graph.node(masked.inputs[2]);
        while (isRepeatedOrReshaped(otherwise->kind))
            otherwise = &graph.node(otherwise->inputs[0]);
        const auto *constant = std::get_if<ScalarAttributes>(&otherwise->attributes);
        if (constant == nullptr || !(constant->value == identityOf(reduction.op, reduction.dtype)))
            break;
        for (BelowEnd &below : belowEndsOf(graph, masked.inputs[0]))
            if (std::ranges::find(axes, below.axis) != axes.end())
                found.push_back(std::move(below));
        input = masked.inputs[1];
    }
    return found;
}

std::optional<SymbolicExpr> strictBoundOf(const Graph &graph, NodeId node)
{
    int budget = kMostNodes;
    return strictBound(graph, node, budget);
}

} // namespace sw
