// Rules for the nodes that pick and pack elements, and for casts that saturate.

#include "engine/passes/graph/decompose_nodes.h"

#include <array>

namespace sw {

namespace {

Replacement bufferView(RewriteContext &context)
{
    const Node &node = context.node();
    const std::int64_t offset = attributesOf<BufferViewAttributes>(node).offset;
    GraphBuilder &builder = context.builder();
    SW_TRY(const NodeId flat, builder.reshape(context.origin(), context.inputId(0), Shape{context.input(0).shape.elements()}));
    SW_TRY(const NodeId range, builder.shrink(context.origin(), flat, {{offset}, {offset + node.shape[0]}}));
    return std::optional(range);
}

Replacement valid(RewriteContext &context)
{
    const Node &node = context.node();
    const auto &mask = attributesOf<ViewAttributes>(node).mask;
    PadAttributes border{{}, {}, Scalar::ofBool(false)};
    std::vector<std::int64_t> inside(node.shape.begin(), node.shape.end());
    for (std::size_t axis = 0; axis < inside.size(); ++axis) {
        border.before.push_back(mask.empty() ? 0 : mask[axis].first);
        border.after.push_back(mask.empty() ? 0 : node.shape[axis] - mask[axis].second);
        inside[axis] -= border.before.back() + border.after.back();
    }
    GraphBuilder &builder = context.builder();
    SW_TRY(const NodeId ones, builder.full(context.origin(), Scalar::ofBool(true), Shape(std::move(inside))));
    SW_TRY(const NodeId padded, builder.pad(context.origin(), ones, std::move(border)));
    return std::optional(padded);
}

// One lane of the last axis, which keeps extent 1.
Result<NodeId> laneOf(RewriteContext &context, NodeId id, std::int64_t lane)
{
    const Shape shape = context.builder().node(id).shape;
    ShrinkAttributes range{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    range.begin.back() = lane;
    range.end.back() = lane + 1;
    std::vector<SymbolicExpr> extents = shape.symbolicExtents();
    extents.back() = SymbolicExpr(1);
    SW_TRY(Shape taken, Shape::checkedSymbolic(std::move(extents)));
    return context.builder().shrink(context.origin(), id, std::move(range), std::move(taken));
}

Replacement gep(RewriteContext &context)
{
    const Node &node = context.node();
    std::vector<NodeId> lanes;
    for (const std::int64_t lane : attributesOf<LanesAttributes>(node).lanes) {
        SW_TRY(const NodeId one, laneOf(context, context.inputId(0), lane));
        lanes.push_back(one);
    }
    if (lanes.empty()) {
        SW_TRY(const NodeId none, context.builder().full(context.origin(), Scalar::fromBits(node.dtype, 0), node.shape));
        return std::optional(none);
    }
    SW_TRY(const NodeId joined, context.builder().cat(context.origin(), lanes, node.shape.rank() - 1));
    return std::optional(joined);
}

Replacement vectorize(RewriteContext &context)
{
    const Node &node = context.node();
    const Shape shape = context.input(0).shape;
    std::vector<SymbolicExpr> extents = shape.symbolicExtents();
    extents.emplace_back(1);
    SW_TRY(const Shape spread, Shape::checkedSymbolic(std::move(extents)));
    std::vector<NodeId> lanes;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        SW_TRY(const NodeId lane, context.builder().reshape(context.origin(), context.inputId(i), spread));
        lanes.push_back(lane);
    }
    SW_TRY(const NodeId joined, context.builder().cat(context.origin(), lanes, shape.rank()));
    return std::optional(joined);
}

// The limits that values outside the goal's range become, as values of the source's type. Nothing when the source's type has no
// values outside that range.
struct Limits {
    Scalar low;
    Scalar high;
};

std::optional<Limits> saturationLimits(DType from, DType to)
{
    const Scalar high = isFloat(to) ? largestFiniteOf(to) : highestOf(to);
    const Scalar low = isFloat(to) ? Scalar::of(to, -high.asDouble()) : lowestOf(to);
    if (isFloat(from)) // a cast to an integer already saturates
        return isFloat(to) && largestFiniteOf(from).asDouble() > high.asDouble()
                   ? std::optional(Limits{low.castTo(from), high.castTo(from)})
                   : std::nullopt;
    Limits limits{lowestOf(from), highestOf(from)};
    if (highestOf(from).asDouble() <= high.asDouble() && lowestOf(from).asDouble() >= low.asDouble())
        return std::nullopt;
    if (lowestOf(from).asDouble() < low.asDouble())
        limits.low = low.castTo(from);
    if (highestOf(from).asDouble() > high.asDouble())
        limits.high = high.castTo(from);
    return limits;
}

bool isSaturatingCast(const Node &node)
{
    return node.kind == NodeKind::Cast && std::holds_alternative<SaturateAttributes>(node.attributes);
}

Replacement saturatingCast(RewriteContext &context)
{
    const Node &node = context.node();
    GraphBuilder &builder = context.builder();
    // Limits of narrow floats are exact in the type that the source is computed in.
    SW_TRY(NodeId value, builder.cast(context.origin(), context.inputId(0), computeType(context.input(0).dtype)));
    const DType from = builder.node(value).dtype;
    const bool isToNumber = isFloat(node.dtype) || isInteger(node.dtype);
    const bool isFromNumber = isFloat(from) || isInteger(from);
    const std::optional<Limits> limits = isToNumber && isFromNumber ? saturationLimits(from, node.dtype) : std::nullopt;
    if (limits) {
        const NodeId whole = value;
        const NodeId high = builder.constScalar(context.origin(), limits->high);
        const NodeId low = builder.constScalar(context.origin(), limits->low);
        SW_TRY(const NodeId below, builder.broadcasted(context.origin(), Op::Min, std::array{value, high}));
        SW_TRY(value, builder.broadcasted(context.origin(), Op::Max, std::array{below, low}));
        if (isFloat(from) && node.dtype != DType::F8E4M3) { // infinity stays if the goal has one
            const NodeId infinity = builder.constScalar(context.origin(), highestOf(from));
            SW_TRY(const NodeId size, builder.broadcasted(context.origin(), Op::Abs, std::array{whole}));
            SW_TRY(const NodeId isInfinite, builder.broadcasted(context.origin(), Op::Cmpeq, std::array{size, infinity}));
            SW_TRY(value, builder.broadcasted(context.origin(), Op::Where, std::array{isInfinite, whole, value}));
        }
    }
    SW_TRY(const NodeId cast, builder.cast(context.origin(), value, node.dtype));
    return std::optional(cast);
}

constexpr std::array kRules = {
    GraphRule{"buffer-view", "Buffer view", "A range of a flat sequence: reshape and shrink.", bufferView,
              isOfKind<NodeKind::BufferView>},
    GraphRule{"valid", "Valid region", "Ones padded with zeros to the shape of the view.", valid, isOfKind<NodeKind::Valid>},
    GraphRule{"gep", "Take lanes", "The lanes one by one, joined.", gep, isOfKind<NodeKind::Gep>},
    GraphRule{"vectorize", "Pack lanes", "The operands joined along a new last axis.", vectorize, isOfKind<NodeKind::Vectorize>},
    GraphRule{"saturating-cast", "Saturating cast", "The value limited to the goal's range, then cast; infinity and NaN stay.",
              saturatingCast, isSaturatingCast},
};

} // namespace

std::span<const GraphRule> vectorNodeRules()
{
    return kRules;
}

} // namespace sw
