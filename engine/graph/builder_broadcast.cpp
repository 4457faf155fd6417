// The helpers of the builder that make several nodes with one origin.

#include "engine/graph/builder.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

bool takesOnlyFloats(Op op)
{
    return infoOf(op).accepts == Accepts::Float || has(infoOf(op).traits, Trait::FloatOnlyResult);
}

} // namespace

Result<NodeId> GraphBuilder::broadcastTo(Origin origin, NodeId input, const Shape &wanted)
{
    const Shape shape = wanted; // it may be that of a node, which moves when others are made
    const Shape from = node(input).shape;
    const auto common = broadcast(from, shape);
    if (!common || *common != shape)
        return error(Code::ShapeMismatch, origin, "shape {} does not broadcast to {}", toText(from), toText(shape));
    std::vector<SymbolicExpr> extents(shape.rank() - from.rank(), SymbolicExpr(1));
    for (std::size_t axis = 0; axis < from.rank(); ++axis)
        extents.push_back(from.extent(axis));
    SW_TRY(Shape alignedShape, Shape::checkedSymbolic(std::move(extents)));
    SW_TRY(const NodeId aligned, reshape(origin, input, std::move(alignedShape)));
    return expand(std::move(origin), aligned, shape);
}

Result<NodeId> GraphBuilder::broadcasted(Origin origin, Op op, std::span<const NodeId> operands)
{
    if (operands.size() != arityOf(op))
        return error(Code::Argument, origin, "{} takes {} operands, not {}", nameOf(op), arityOf(op), operands.size());
    const std::size_t first = firstTypedOperand(op);
    DType dtype = node(operands[first]).dtype;
    Shape shape;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        auto common = broadcast(shape, node(operands[i]).shape);
        if (!common)
            return placed(origin, common.failure());
        shape = std::move(common).value();
        if (i >= first)
            dtype = promote(dtype, node(operands[i]).dtype);
    }
    if (takesOnlyFloats(op) && !isFloat(dtype))
        dtype = DType::F32;
    if (!accepts(op, dtype))
        return error(Code::Type, origin, "{} does not take operands of type {}: {}", nameOf(op), nameOf(dtype),
                     join(operands, ", ", [this](NodeId id) { return typeText(node(id).dtype, node(id).shape); }));
    std::vector<NodeId> ready;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        SW_TRY(const NodeId converted, cast(origin, operands[i], i < first ? DType::Bool : dtype));
        SW_TRY(const NodeId spread, broadcastTo(origin, converted, shape));
        ready.push_back(spread);
    }
    return elementwise(std::move(origin), op, ready);
}

Result<NodeId> GraphBuilder::full(Origin origin, Scalar value, const Shape &wanted)
{
    const Shape shape = wanted; // as above
    const NodeId scalar = constScalar(origin, value);
    return broadcastTo(std::move(origin), scalar, shape);
}

} // namespace sw
