#include "engine/graph/open_nodes.h"

#include "engine/graph/infer.h"
#include "engine/types/fitted_size.h"

#include <algorithm>
#include <array>
#include <functional>

namespace sw {

namespace {

using Nodes = std::span<const Node *const>;

// Of the number that each node has.
std::optional<SymbolicExpr> fitted(const SizeSamples &samples, Nodes nodes,
                                   const std::function<std::optional<std::int64_t>(const Node &)> &numberOf)
{
    std::vector<std::int64_t> values;
    for (const Node *node : nodes) {
        const auto number = numberOf(*node);
        if (!number)
            return std::nullopt;
        values.push_back(*number);
    }
    Result<SymbolicExpr> made = fittedSize(samples.variables, samples.least, values);
    return made ? std::optional(std::move(made).value()) : std::nullopt;
}

std::optional<Shape> openShape(const SizeSamples &samples, Nodes nodes)
{
    std::vector<SymbolicExpr> extents;
    for (std::size_t axis = 0; axis < nodes.front()->shape.rank(); ++axis) {
        auto extent = fitted(samples, nodes, [&](const Node &node) { return std::optional(node.shape[axis]); });
        if (!extent)
            return std::nullopt;
        extents.push_back(std::move(*extent));
    }
    Result<Shape> shape = Shape::checkedSymbolic(std::move(extents));
    return shape ? std::optional(std::move(shape).value()) : std::nullopt;
}

// What a range along an axis is for the largest size: one along an open axis is all of it.
void openRange(std::pair<std::int64_t, std::int64_t> &range, const Shape &shape, std::size_t axis)
{
    if (shape.isSymbolic(axis))
        range.second = shape[axis];
}

// For the largest sizes; whether they are those of the samples at their sizes is seen when the node is made for them.
NodeAttributes openAttributes(const Node &first, const Shape &shape)
{
    NodeAttributes attributes = first.attributes;
    if (auto *shrink = std::get_if<ShrinkAttributes>(&attributes)) {
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
            shrink->end[axis] = shrink->begin[axis] + shape[axis];
    } else if (auto *view = std::get_if<ViewAttributes>(&attributes)) {
        for (std::size_t axis = 0; axis < view->mask.size(); ++axis)
            openRange(view->mask[axis], shape, axis);
    } else if (auto *assign = std::get_if<AssignAttributes>(&attributes)) {
        for (auto &ranges : assign->ranges)
            for (std::size_t axis = 0; axis < ranges.size(); ++axis)
                openRange(ranges[axis], shape, axis);
    }
    return attributes;
}

// A whole number that the type holds exactly.
std::optional<std::int64_t> integerOf(const Scalar &value)
{
    if (value.dtype() == DType::U32x4)
        return std::nullopt;
    const std::int64_t number = value.asInt();
    return Scalar::of(value.dtype(), number) == value ? std::optional(number) : std::nullopt;
}

const HostTensor &tensorOf(const Node &node)
{
    return *attributesOf<TensorAttributes>(node).value;
}

bool isFilled(const HostTensor &tensor, const Scalar &value)
{
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        if (!(tensor.at(i) == value))
            return false;
    return true;
}

} // namespace

std::optional<OpenNode> OpenNode::of(const SizeSamples &samples, std::span<const Node *const> nodes)
{
    const Node &first = *nodes.front();
    for (const Node *other : nodes)
        if (other->kind != first.kind || other->shape.rank() != first.shape.rank())
            return std::nullopt;
    const std::optional<Shape> shape = openShape(samples, nodes);
    if (!shape)
        return std::nullopt;
    OpenNode made(first);
    made.m_node.shape = *shape;
    if (first.kind == NodeKind::ConstScalar || first.kind == NodeKind::Vconst) {
        auto constant = constantOf(samples, nodes);
        if (!constant)
            return std::nullopt;
        made.m_constant = std::move(*constant);
    } else {
        made.m_node.attributes = openAttributes(first, *shape);
    }
    return made;
}

std::optional<OpenNode::Constant> OpenNode::constantOf(const SizeSamples &samples, std::span<const Node *const> nodes)
{
    const Node &first = *nodes.front();
    if (std::ranges::all_of(nodes, [&](const Node *node) { return node->attributes == first.attributes; }))
        return Constant();
    if (first.kind == NodeKind::ConstScalar) {
        auto number =
            fitted(samples, nodes, [](const Node &node) { return integerOf(attributesOf<ScalarAttributes>(node).value); });
        return number ? std::optional(Constant(std::move(*number))) : std::nullopt;
    }
    if (first.shape.isEmpty())
        return std::nullopt;
    const Scalar value = tensorOf(first).at(0);
    if (std::ranges::all_of(nodes, [&](const Node *node) { return isFilled(tensorOf(*node), value); }))
        return Constant(value);
    auto ramp = rampOf(samples, nodes);
    return ramp ? std::optional(Constant(std::move(*ramp))) : std::nullopt;
}

std::optional<OpenNode::Ramp> OpenNode::rampOf(const SizeSamples &samples, std::span<const Node *const> nodes)
{
    const auto firstOf = [](const Node &node) {
        return node.shape.isEmpty() ? std::optional<std::int64_t>() : integerOf(tensorOf(node).at(0));
    };
    auto first = fitted(samples, nodes, firstOf);
    if (!first)
        return std::nullopt;
    Ramp ramp{.first = std::move(*first), .steps = {}};
    for (std::size_t axis = 0; axis < nodes.front()->shape.rank(); ++axis) {
        auto step = fitted(samples, nodes, [&](const Node &node) -> std::optional<std::int64_t> {
            if (node.shape[axis] < 2)
                return 0;
            const auto second = integerOf(tensorOf(node).at(rowMajorStrides(node.shape)[axis]));
            return second ? std::optional(*second - *firstOf(node)) : std::nullopt;
        });
        if (!step)
            return std::nullopt;
        ramp.steps.push_back(std::move(*step));
    }
    return ramp;
}

std::optional<HostTensor> OpenNode::valueOf(const Constant &constant, const Node &node, const SymbolicBindings &sizes)
{
    HostTensor value(node.dtype, node.shape);
    if (const auto *filled = std::get_if<Scalar>(&constant)) {
        for (std::int64_t i = 0; i < value.elements(); ++i)
            value.set(i, *filled);
        return value;
    }
    const Ramp &ramp = std::get<Ramp>(constant);
    const auto first = ramp.first.evaluate(sizes);
    std::vector<std::int64_t> steps;
    for (const SymbolicExpr &expr : ramp.steps) {
        const auto step = expr.evaluate(sizes);
        if (!step)
            return std::nullopt;
        steps.push_back(*step);
    }
    if (!first)
        return std::nullopt;
    std::vector<std::int64_t> place(node.shape.rank());
    for (std::int64_t i = 0; i < value.elements(); ++i) {
        unravel(i, node.shape, place);
        value.set(i, Scalar::of(node.dtype, *first + ravel(place, steps)));
    }
    return value;
}

std::optional<Node> OpenNode::at(const SymbolicBindings &sizes) const
{
    Result<Node> bound = bindNode(m_node, sizes);
    if (!bound)
        return std::nullopt;
    Node node = std::move(bound).value();
    if (const auto *number = std::get_if<SymbolicExpr>(&m_constant)) {
        const auto value = number->evaluate(sizes);
        if (!value)
            return std::nullopt;
        node.attributes = ScalarAttributes{Scalar::of(node.dtype, *value)};
    } else if (!std::holds_alternative<std::monostate>(m_constant)) {
        auto value = valueOf(m_constant, node, sizes);
        if (!value)
            return std::nullopt;
        node.attributes = TensorAttributes{std::make_shared<const HostTensor>(std::move(*value))};
    }
    return node;
}

Result<NodeId> OpenNode::addTo(GraphBuilder &builder, const DimensionNodes &dimensions, std::span<const NodeId> made) const
{
    if (const auto *number = std::get_if<SymbolicExpr>(&m_constant)) {
        SW_TRY(const NodeId value, dimensionValue(builder, m_node.origin, *number, dimensions));
        return builder.cast(m_node.origin, value, m_node.dtype);
    }
    if (const auto *filled = std::get_if<Scalar>(&m_constant))
        return builder.full(m_node.origin, *filled, m_node.shape);
    if (const auto *ramp = std::get_if<Ramp>(&m_constant))
        return addRamp(builder, dimensions, *ramp);
    Node node = m_node.readingFrom(made);
    const bool mayKeep = node.kind == NodeKind::Reshape || node.kind == NodeKind::Expand || node.kind == NodeKind::Shrink;
    if (mayKeep && node.shape.isSymbolic() && builder.node(node.inputs[0]).shape == node.shape)
        return node.inputs[0]; // all of it, which no program says
    std::vector<const Node *> inputs;
    for (const NodeId input : node.inputs)
        inputs.push_back(&builder.node(input));
    SW_TRY(const InferredType type, inferType(node, inputs));
    if (type.dtype != node.dtype || type.shape != node.shape)
        return Diagnostic::error(Code::Unsupported, {}, "{} gives {} for its dimensions, not {}", operationText(node),
                                 typeText(type.dtype, type.shape), typeText(node.dtype, node.shape));
    return builder.addUnchecked(std::move(node));
}

Result<NodeId> OpenNode::addRamp(GraphBuilder &builder, const DimensionNodes &dimensions, const Ramp &ramp) const
{
    const Origin &origin = m_node.origin;
    const Shape &shape = m_node.shape;
    SW_TRY(NodeId sum, dimensionValue(builder, origin, ramp.first, dimensions));
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (ramp.steps[axis] == SymbolicExpr())
            continue;
        SW_TRY(Shape row, Shape::checkedSymbolic({shape.extent(axis)}));
        SW_TRY(NodeId part, builder.iota(origin, std::move(row)));
        SW_TRY(const NodeId step, dimensionValue(builder, origin, ramp.steps[axis], dimensions));
        SW_TRY(part, builder.broadcasted(origin, Op::Mul, std::array{part, step}));
        std::vector<SymbolicExpr> extents(shape.rank(), SymbolicExpr(1));
        extents[axis] = shape.extent(axis);
        SW_TRY(Shape along, Shape::checkedSymbolic(std::move(extents)));
        SW_TRY(part, builder.reshape(origin, part, std::move(along)));
        SW_TRY(sum, builder.broadcasted(origin, Op::Add, std::array{sum, part}));
    }
    SW_TRY(sum, builder.broadcastTo(origin, sum, shape));
    return builder.cast(origin, sum, m_node.dtype);
}

} // namespace sw
