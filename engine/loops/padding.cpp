#include "engine/loops/padding.h"

#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMostPadding = 1 << 12; // indices of a tile

// Whether the value is a load, or a conversion of one, that gives 0 where the axis has no index.
bool isZeroBehind(const LoopNest &nest, ValueId id, AxisId padded)
{
    const Value *value = &nest.values[id.value];
    while (value->kind == ValueKind::Cast)
        value = &nest.values[value->operands.front().value];
    const auto isOfAxis = [&](const RangeCondition &condition) {
        const IndexExpr &expr = nest.arena.at(condition.expr);
        return expr.kind == ExprKind::Axis && expr.axis == padded && condition.high == nest.axes[padded.value].existing;
    };
    return value->kind == ValueKind::Load && std::ranges::any_of(value->conditions, isOfAxis) &&
           value->constant == Scalar::of(value->dtype, std::int64_t{0});
}

} // namespace

std::optional<std::string> padProblemOf(const LoopNest &nest, AxisId leaf, std::int64_t multiple)
{
    const Axis &axis = nest.axes[leaf.value];
    if (axis.source.isValid())
        return format("{} is a part of an axis; the whole one is padded, before it is split", axis.name);
    if (axis.existing != 0)
        return format("{} is padded already", axis.name);
    if (multiple < 2 || multiple > kMostPadding)
        return format("an axis is padded to a multiple of 2 to {}", kMostPadding);
    if (axis.extent % multiple == 0)
        return format("{} has {} indices, which {} divides; there is nothing to pad", axis.name, axis.extent, multiple);
    if (axis.extent == 1)
        return format("{} has one index, and no load tells that it moves", axis.name);
    if (nest.rowAxes > 0)
        return "the rows of the kernel's stages are kept as they are, so no axis is padded";
    if (!nest.packs.empty())
        return "axes are padded before what is read is copied";
    return std::nullopt;
}

void padAxis(LoopNest &nest, AxisId leaf, std::int64_t multiple)
{
    const AxisId padded(nest.axes.size());
    Axis axis = nest.axes[leaf.value];
    axis.name += ".p";
    axis.existing = axis.extent;
    axis.extent = (axis.extent + multiple - 1) / multiple * multiple;
    nest.axes.push_back(axis);
    nest.axes[leaf.value].end = ValueId();
    const ExprId index = nest.arena.axis(padded, axis.extent);
    const auto dependencies = valueDependencies(nest);
    substituteAxes(nest, [&](AxisId id) { return id == leaf ? index : nest.arena.axis(id, nest.axes[id.value].extent); });
    const auto rename = [&](std::vector<AxisId> &list) { std::ranges::replace(list, leaf, padded); };
    rename(nest.order);
    rename(nest.domain);
    for (Reduction &reduction : nest.reductions) {
        rename(reduction.order);
        rename(reduction.axes);
    }
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        Value &value = nest.values[i];
        const bool readsMemory = value.kind == ValueKind::Load || value.kind == ValueKind::Indexed;
        if (!readsMemory || !std::ranges::binary_search(dependencies[i], leaf))
            continue;
        // What an Indexed value gives where a condition fails is its constant already.
        if (value.kind == ValueKind::Load && value.conditions.empty())
            value.constant = Scalar::of(value.dtype, std::int64_t{0});
        value.conditions.push_back({index, 0, axis.existing});
    }
}

bool isNothingBehind(const LoopNest &nest, const Reduction &reduction, AxisId padded)
{
    const Value &body = nest.values[reduction.body.value];
    return reduction.op == Op::Add && body.kind == ValueKind::Alu && body.op == Op::Mul &&
           std::ranges::all_of(body.operands, [&](ValueId factor) { return isZeroBehind(nest, factor, padded); });
}

void substituteAxes(LoopNest &nest, const std::function<ExprId(AxisId)> &replacement)
{
    for (Value &value : nest.values) {
        if (value.index.isValid())
            value.index = nest.arena.substitute(value.index, replacement);
        for (RangeCondition &condition : value.conditions)
            condition.expr = nest.arena.substitute(condition.expr, replacement);
    }
    for (StoreStatement &store : nest.stores)
        store.index = nest.arena.substitute(store.index, replacement);
}

} // namespace sw
