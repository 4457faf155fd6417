// The rule for assign: each element comes from the last update that covers it. The updates become choices in the same order, and
// no memory is written that something else still reads.

#include "engine/passes/graph/decompose_nodes.h"

#include <array>

namespace sw {

namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

// The value, with the update in place of the elements in the ranges.
Result<NodeId> stored(RewriteContext &context, NodeId value, NodeId update, const std::vector<Range> &ranges)
{
    GraphBuilder &builder = context.builder();
    const Origin &origin = context.origin();
    const Shape whole = builder.node(value).shape;
    const Shape part = builder.node(update).shape;
    if (ranges.empty() || part == whole)
        return update;
    if (part.isEmpty())
        return value;
    PadAttributes border{{}, {}, Scalar::fromBits(context.node().dtype, 0)};
    for (std::size_t axis = 0; axis < whole.rank(); ++axis) {
        border.before.push_back(ranges[axis].first);
        border.after.push_back(whole[axis] - ranges[axis].second);
    }
    SW_TRY(const NodeId ones, builder.full(origin, Scalar::ofBool(true), part));
    SW_TRY(const NodeId padded, builder.pad(origin, update, border));
    border.fill = Scalar::ofBool(false);
    SW_TRY(const NodeId isInside, builder.pad(origin, ones, std::move(border)));
    return builder.elementwise(origin, Op::Where, std::array{isInside, padded, value});
}

Replacement assign(RewriteContext &context)
{
    const auto updates = attributesOf<AssignAttributes>(context.node()).ranges;
    NodeId value = context.inputId(0);
    for (std::size_t i = 0; i < updates.size(); ++i) {
        SW_TRY(value, stored(context, value, context.inputId(i + 1), updates[i]));
    }
    return std::optional(value);
}

constexpr std::array kRules = {
    GraphRule{"assign", "Assign", "Each element is the last update's that covers it, or the target's.", assign,
              isOfKind<NodeKind::Assign>},
};

} // namespace

std::span<const GraphRule> assignRules()
{
    return kRules;
}

} // namespace sw
