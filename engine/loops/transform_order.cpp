#include "engine/loops/transform_steps.h"

#include "engine/base/assert.h"
#include "engine/loops/join.h"
#include "engine/loops/padding.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>

namespace sw {

namespace {

// The order names every leaf of the domain once, and some of the only reduction: these leave the reduction's own list, and
// those that it leaves out return to it.
bool reorderWithBlocks(LoopNest &nest, const std::vector<AxisId> &wanted)
{
    if (leadersIn(nest) != 1)
        return false;
    const auto isOfReduction = [&](AxisId leaf) { return nest.axes[leaf.value].isReduce; };
    std::vector<AxisId> &own = std::ranges::find_if(nest.reductions, [](const Reduction &one) { return !one.joined; })->order;
    std::vector<AxisId> inner;
    std::ranges::copy_if(nest.order, std::back_inserter(inner), isOfReduction);
    inner.insert(inner.end(), own.begin(), own.end());
    std::vector<AxisId> all;
    std::ranges::copy_if(nest.order, std::back_inserter(all), std::not_fn(isOfReduction));
    for (const AxisId leaf : wanted)
        if (isOfReduction(leaf) && std::erase(inner, leaf) == 1)
            all.push_back(leaf);
    if (!std::ranges::is_permutation(all, wanted))
        return false;
    nest.order = wanted;
    own = inner;
    return true;
}

// The end of p, counted in steps of a merged axis whose inner part has so many indices.
ValueId mergedEnd(LoopNest &nest, ValueId end, std::int64_t inner)
{
    if (!end.isValid())
        return end;
    const Value outer = nest.values[end.value];
    nest.values.push_back(Value{.kind = ValueKind::Constant,
                                .dtype = DType::I64,
                                .constant = Scalar::of(DType::I64, inner),
                                .node = outer.node,
                                .origin = outer.origin});
    nest.values.push_back(Value{.kind = ValueKind::Alu,
                                .op = Op::Mul,
                                .dtype = DType::I64,
                                .operands = {end, ValueId(nest.values.size() - 1)},
                                .node = outer.node,
                                .origin = outer.origin});
    return ValueId(nest.values.size() - 1);
}

// "i0_i1" of i0 and i1; "s0_i1_i2" of s0_i1 and s0_i2, which are axes of one stage.
std::string mergedName(const std::string &outer, const std::string &inner)
{
    const std::size_t stage = outer.starts_with('s') ? outer.find('_') + 1 : 0;
    const bool isOfStage = stage > 0 && inner.starts_with(outer.substr(0, stage));
    return outer + "_" + (isOfStage ? inner.substr(stage) : inner);
}

// Replaces two neighbouring axes p, q of a loop list by one axis m, with p = m // extent(q) and q = m % extent(q).
void mergePair(LoopNest &nest, std::vector<AxisId> &order, std::vector<AxisId> &axes, std::size_t position)
{
    const AxisId p = order[position];
    const AxisId q = order[position + 1];
    const std::int64_t inner = nest.axes[q.value].extent;
    const AxisId merged(nest.axes.size());
    Axis axis = nest.axes[p.value];
    axis.name = mergedName(nest.axes[p.value].name, nest.axes[q.value].name);
    axis.extent *= inner;
    axis.end = mergedEnd(nest, axis.end, inner);
    axis.origin = Origin::merged(axis.origin, nest.axes[q.value].origin);
    const ExprId m = nest.arena.axis(merged, axis.extent);
    nest.axes.push_back(axis);
    order[position] = merged;
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(position) + 1);
    *std::ranges::find(axes, p) = merged;
    std::erase(axes, q);
    substituteAxes(nest, [&](AxisId id) {
        if (id == p)
            return nest.arena.divide(m, inner);
        if (id == q)
            return nest.arena.modulo(m, inner);
        return nest.arena.axis(id, nest.axes[id.value].extent);
    });
}

// The rows of a kernel's stages are axes of their own.
bool isRow(const LoopNest &nest, AxisId axis)
{
    const auto rows = std::span(nest.domain).first(nest.rowAxes);
    return std::ranges::find(rows, axis) != rows.end();
}

// Whether every index is linear in p and q as if they were one axis: with coefficients c*extent(q) and c.
bool canMerge(const LoopNest &nest, AxisId p, AxisId q)
{
    if (nest.axes[q.value].end.isValid() || isRow(nest, p) || isRow(nest, q))
        return false;
    const auto isOneAxis = [&](ExprId index) {
        std::int64_t outer = 0;
        std::int64_t inner = 0;
        if (!nest.arena.linearIn(index, p, outer) || !nest.arena.linearIn(index, q, inner))
            return false;
        return outer == inner * nest.axes[q.value].extent;
    };
    for (const Value &value : nest.values) {
        if (value.index.isValid() && !isOneAxis(value.index))
            return false;
        for (const RangeCondition &condition : value.conditions)
            if (!isOneAxis(condition.expr))
                return false;
    }
    return std::ranges::all_of(nest.stores, [&](const StoreStatement &store) { return isOneAxis(store.index); });
}

// Whether neighbouring indices of the axis read the same elements at different steps of a reduction, as overlapping windows do. A
// tile that has several of them reads each element once, which it cannot when the axis is a part of another one.
bool hasOverlappingWindows(const LoopNest &nest, AxisId axis)
{
    const auto overlap = [&](ExprId index, AxisId step) {
        std::int64_t ofAxis = 0;
        std::int64_t ofStep = 0;
        if (!nest.arena.linearIn(index, axis, ofAxis) || !nest.arena.linearIn(index, step, ofStep) || ofAxis <= 0 || ofStep <= 0)
            return false;
        const bool isAlongOneAxis = ofAxis % ofStep == 0 || ofStep % ofAxis == 0;
        return isAlongOneAxis && ofStep < ofAxis * nest.axes[axis.value].extent &&
               ofAxis <= ofStep * (nest.axes[step.value].extent - 1);
    };
    return std::ranges::any_of(nest.reductions, [&](const Reduction &reduction) {
        return std::ranges::any_of(reduction.axes, [&](AxisId step) {
            return std::ranges::any_of(
                nest.values, [&](const Value &value) { return value.kind == ValueKind::Load && overlap(value.index, step); });
        });
    });
}

void mergeList(LoopNest &nest, std::size_t reduction)
{
    const bool isDomain = reduction == nest.reductions.size();
    std::vector<AxisId> order = isDomain ? nest.order : nest.reductions[reduction].order;
    std::vector<AxisId> axes = order;
    for (std::size_t at = 0; at + 1 < order.size();) {
        if (!canMerge(nest, order[at], order[at + 1]) || (isDomain && hasOverlappingWindows(nest, order[at]))) {
            ++at;
            continue;
        }
        nest.transforms.push_back(Transform{.kind = TransformKind::Merge,
                                            .axes = {nest.axes[order[at].value].name, nest.axes[order[at + 1].value].name},
                                            .reason = "no index tells the two axes apart"});
        mergePair(nest, order, axes, at);
    }
    (isDomain ? nest.order : nest.reductions[reduction].order) = order;
    (isDomain ? nest.domain : nest.reductions[reduction].axes) = axes;
}

void mergeLists(LoopNest &nest)
{
    for (std::size_t reduction = 0; reduction <= nest.reductions.size(); ++reduction)
        mergeList(nest, reduction);
}

} // namespace

Result<Done> applyReorder(LoopNest &nest, const Transform &transform)
{
    std::vector<AxisId> wanted;
    for (const std::string &name : transform.axes) {
        SW_TRY(const AxisId leaf, leafNamed(nest, transform, name));
        wanted.push_back(leaf);
    }
    std::vector<AxisId> *order = wanted.empty() ? nullptr : orderWith(nest, wanted.front());
    if (order != nullptr && std::ranges::is_permutation(*order, wanted)) {
        *order = wanted;
    } else if (!reorderWithBlocks(nest, wanted)) {
        return invalid(transform, "the new order must name each leaf of one loop "
                                  "list once; one loop of the reduction may stand "
                                  "among those of the domain");
    }
    if (const auto problem = blockProblemOf(nest))
        return invalid(transform, *problem);
    return Done{};
}

Result<Done> applyMerge(LoopNest &nest, const Transform &transform)
{
    if (transform.axes.size() != 2)
        return invalid(transform, "merge takes two axes");
    SW_TRY(const AxisId p, leafNamed(nest, transform, transform.axes[0]));
    SW_TRY(const AxisId q, leafNamed(nest, transform, transform.axes[1]));
    if (isRow(nest, p) || isRow(nest, q))
        return invalid(transform, "the rows of the kernel's stages are axes of their own, so none is merged");
    if (blockLoopOf(nest))
        return invalid(transform, "axes are merged before a reduction is done in blocks");
    for (const AxisId axis : {p, q})
        if (nest.axes[axis.value].existing != 0)
            return invalid(transform, format("{} is padded; axes are merged before that", nest.axes[axis.value].name));
    std::vector<AxisId> *order = orderWith(nest, p);
    const auto at = std::ranges::find(*order, p);
    if (at + 1 == order->end() || *(at + 1) != q || nest.axes[p.value].source.isValid() || nest.axes[q.value].source.isValid())
        return invalid(transform, "the axes must be unsplit neighbours, the outer one first");
    if (nest.axes[q.value].end.isValid())
        return invalid(transform,
                       format("{} ends at a value of the run; behind its end, one loop over both would go through what "
                              "is not there",
                              nest.axes[q.value].name));
    std::vector<AxisId> *axes = &nest.domain;
    for (Reduction &reduction : nest.reductions)
        if (&reduction.order == order)
            axes = &reduction.axes;
    mergePair(nest, *order, *axes, static_cast<std::size_t>(at - order->begin()));
    return Done{};
}

LoopNest mergeAxes(LoopNest nest)
{
    for (LoopNest &stage : nest.stages) {
        mergeLists(stage);
        nest.transforms.insert(nest.transforms.end(), stage.transforms.begin(), stage.transforms.end());
        stage.transforms.clear();
    }
    mergeLists(nest);
    return nest;
}

} // namespace sw
