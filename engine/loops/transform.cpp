#include "engine/loops/transform.h"

#include "engine/base/assert.h"
#include "engine/loops/padding.h"
#include "engine/loops/prefetch_queries.h"
#include "engine/loops/queries.h"
#include "engine/loops/share_queries.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostGroupItems = 1024;
constexpr std::int64_t kMostCopies = 1024;

// The loop order that contains the leaf: the domain's or a reduction's; null when the axis is no longer a leaf.
std::vector<AxisId> *orderWith(LoopNest &nest, AxisId leaf)
{
    if (std::ranges::find(nest.order, leaf) != nest.order.end())
        return &nest.order;
    for (Reduction &reduction : nest.reductions)
        if (std::ranges::find(reduction.order, leaf) != reduction.order.end())
            return &reduction.order;
    return nullptr;
}

Diagnostic invalid(const Transform &transform, const std::string &why)
{
    return Diagnostic::error(Code::InvalidIr, {}, "{}: {}", toText(transform), why);
}

Result<AxisId> leafNamed(LoopNest &nest, const Transform &transform, const std::string &name)
{
    const std::optional<AxisId> found = axisNamed(nest, name);
    if (!found)
        return invalid(transform, format("the kernel has no axis {}", quoted(name)));
    if (orderWith(nest, *found) == nullptr)
        return invalid(transform, format("axis {} is not a loop: it was split or merged", name));
    return *found;
}

Result<Done> split(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    const Axis axis = nest.axes[leaf.value];
    if (transform.factor < 1 || transform.factor > axis.extent)
        return invalid(transform, format("the factor must be between 1 and the extent {}", axis.extent));
    const AxisId outer(nest.axes.size());
    Axis part = axis;
    part.source = leaf;
    part.name = axis.name + ".o";
    part.extent = axis.extent / transform.factor;
    part.factor = transform.factor;
    part.end = ValueId(); // it is that of the whole axis
    nest.axes.push_back(part);
    const AxisId inner(nest.axes.size());
    part.name = axis.name + ".i";
    part.extent = transform.factor;
    part.factor = 1;
    nest.axes.push_back(part);
    std::vector<AxisId> &order = *orderWith(nest, leaf);
    const auto at = std::ranges::find(order, leaf);
    *at = outer;
    order.insert(at + 1, inner);
    return Done{};
}

Result<Done> setType(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    Axis &axis = nest.axes[leaf.value];
    const bool isForReductions = transform.type == AxisType::Reduce || transform.type == AxisType::Unroll ||
                                 transform.type == AxisType::Vector || transform.type == AxisType::Local;
    const bool isForDomains = transform.type != AxisType::Reduce && transform.type != AxisType::Unroll;
    if (axis.isReduce ? !isForReductions : !isForDomains)
        return invalid(transform, format("axis {} belongs to {}", axis.name, axis.isReduce ? "a reduction" : "the domain"));
    axis.type = transform.type;
    axis.isMasked = axis.isMasked && axis.type == AxisType::Vector;
    return Done{};
}

// The order names every leaf of the domain once, and some of the only reduction: these leave the reduction's own list, and
// those that it leaves out return to it.
bool reorderWithBlocks(LoopNest &nest, const std::vector<AxisId> &wanted)
{
    if (nest.reductions.size() != 1)
        return false;
    const auto isOfReduction = [&](AxisId leaf) { return nest.axes[leaf.value].isReduce; };
    std::vector<AxisId> &own = nest.reductions.front().order;
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

Result<Done> reorder(LoopNest &nest, const Transform &transform)
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

// Replaces two neighbouring axes p, q of a loop list by one axis m, with p = m // extent(q) and q = m % extent(q).
void mergePair(LoopNest &nest, std::vector<AxisId> &order, std::vector<AxisId> &axes, std::size_t position)
{
    const AxisId p = order[position];
    const AxisId q = order[position + 1];
    const std::int64_t inner = nest.axes[q.value].extent;
    const AxisId merged(nest.axes.size());
    Axis axis = nest.axes[p.value];
    axis.name = nest.axes[p.value].name + "_" + nest.axes[q.value].name;
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

// Whether every index is linear in p and q as if they were one axis: with coefficients c*extent(q) and c.
bool canMerge(const LoopNest &nest, AxisId p, AxisId q)
{
    if (nest.axes[q.value].end.isValid())
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

void mergeList(LoopNest &nest, std::size_t reduction)
{
    const bool isDomain = reduction == nest.reductions.size();
    std::vector<AxisId> order = isDomain ? nest.order : nest.reductions[reduction].order;
    std::vector<AxisId> axes = order;
    for (std::size_t at = 0; at + 1 < order.size();) {
        if (!canMerge(nest, order[at], order[at + 1])) {
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

Result<Done> merge(LoopNest &nest, const Transform &transform)
{
    if (transform.axes.size() != 2)
        return invalid(transform, "merge takes two axes");
    SW_TRY(const AxisId p, leafNamed(nest, transform, transform.axes[0]));
    SW_TRY(const AxisId q, leafNamed(nest, transform, transform.axes[1]));
    if (nest.rowAxes > 0)
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

Result<Done> mask(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    Axis &axis = nest.axes[leaf.value];
    if (axis.isReduce || axis.type != AxisType::Vector)
        return invalid(transform, format("{} is no vector of the domain; only such a one is masked", axis.name));
    axis.isMasked = true;
    return Done{};
}

Result<Done> pack(LoopNest &nest, const Transform &transform)
{
    if (transform.axes.empty() || transform.value.value >= nest.values.size() ||
        nest.values[transform.value.value].kind != ValueKind::Load)
        return invalid(transform, "a copy takes a load, the loop to make it at, and its axes");
    Pack made{.load = transform.value, .at = {}, .order = {}};
    for (std::size_t i = 0; i < transform.axes.size(); ++i) {
        const std::optional<AxisId> axis = axisNamed(nest, transform.axes[i]);
        if (!axis)
            return invalid(transform, format("the kernel has no axis {}", quoted(transform.axes[i])));
        if (i == 0)
            made.at = *axis;
        else
            made.order.push_back(*axis);
    }
    if (transform.kind == TransformKind::Share) {
        made.isShared = true;
        made.apart = transform.factor;
        if (const auto problem = shareProblemOf(nest, made))
            return invalid(transform, *problem);
    } else if (std::ranges::find(nest.order, made.at) == nest.order.end()) {
        return invalid(transform, format("{} is no loop of the domain", transform.axes[0]));
    }
    if (const auto missing = axisMissingInPack(nest, made))
        return invalid(transform,
                       format("the load moves with {}, which does not index the copy", nest.axes[missing->value].name));
    if (const auto problem = made.isShared ? std::nullopt : packProblemOf(nest, made))
        return invalid(transform, *problem);
    if (std::ranges::any_of(nest.packs, [&](const Pack &pack) { return pack.load == made.load; }))
        return invalid(transform, format("there is a copy of v{} already", made.load.value));
    nest.packs.push_back(std::move(made));
    return Done{};
}

Result<Done> prefetch(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    if (transform.value.value >= nest.values.size())
        return invalid(transform, format("the kernel has {} values", nest.values.size()));
    if (transform.factor < 1)
        return invalid(transform, "it fetches at least one round ahead");
    const Prefetch made{.load = transform.value, .at = leaf, .ahead = transform.factor};
    if (const auto problem = prefetchProblemOf(nest, made))
        return invalid(transform, *problem);
    nest.prefetches.push_back(made);
    return Done{};
}

Result<Done> nonTemporal(LoopNest &nest, const Transform &transform)
{
    if (transform.factor < 0 || static_cast<std::size_t>(transform.factor) >= nest.stores.size())
        return invalid(transform, format("the kernel has {} stores", nest.stores.size()));
    nest.stores[static_cast<std::size_t>(transform.factor)].policy = MemoryPolicy::NonTemporal;
    return Done{};
}

Result<Done> group(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    Axis &axis = nest.axes[leaf.value];
    if (axis.type != AxisType::Global)
        return invalid(transform, format("axis {} is {}; only one of work items has groups", axis.name, nameOf(axis.type)));
    if (transform.factor < 1 || transform.factor > kMostGroupItems)
        return invalid(transform, format("a group has between 1 and {} work items", kMostGroupItems));
    axis.group = transform.factor;
    return Done{};
}

Result<Done> unroll(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    Axis &axis = nest.axes[leaf.value];
    if (axis.type != AxisType::Loop && axis.type != AxisType::Reduce)
        return invalid(transform, format("axis {} is {}, no loop", axis.name, nameOf(axis.type)));
    if (transform.factor < 1 || transform.factor > kMostCopies)
        return invalid(transform, format("a body is written out between 1 and {} times", kMostCopies));
    axis.copies = transform.factor;
    return Done{};
}

Result<Done> tensorize(LoopNest &nest, const Transform &transform)
{
    const std::optional<AxisId> axis = axisNamed(nest, transform.axes.at(0));
    for (std::size_t i = 0; axis && i < nest.reductions.size(); ++i) {
        Reduction &reduction = nest.reductions[i];
        if (std::ranges::find(reduction.axes, unsplitAxis(nest, *axis)) == reduction.axes.end())
            continue;
        reduction.isTiled = true;
        reduction.instruction = transform.instruction;
        if (const auto problem = tileProblemOf(nest, ReductionId(i)))
            return invalid(transform, *problem);
        return Done{};
    }
    return invalid(transform, format("{} is no axis of a reduction", quoted(transform.axes.at(0))));
}

Result<Done> pad(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    if (const auto problem = padProblemOf(nest, leaf, transform.factor))
        return invalid(transform, *problem);
    padAxis(nest, leaf, transform.factor);
    return Done{};
}

std::size_t mostAxesOf(TransformKind kind)
{
    switch (kind) {
    case TransformKind::Split:
    case TransformKind::SetType:
    case TransformKind::Mask:
    case TransformKind::Group:
    case TransformKind::Unroll:
    case TransformKind::Tensorize:
    case TransformKind::Pad:
    case TransformKind::Prefetch:
        return 1;
    case TransformKind::Merge:
        return 2;
    case TransformKind::NonTemporal:
        return 0;
    case TransformKind::Reorder:
    case TransformKind::Pack:
    case TransformKind::Share:
        return std::numeric_limits<std::size_t>::max();
    }
    SW_UNREACHABLE();
}

// The nest that the transformation is about: of the kernel's stages, the one that has its first axis.
LoopNest &nestWith(LoopNest &nest, const Transform &transform)
{
    for (LoopNest &stage : nest.stages)
        if (!transform.axes.empty() && axisNamed(stage, transform.axes.front()))
            return stage;
    return nest;
}

Result<Done> apply(LoopNest &nest, const Transform &transform)
{
    if (LoopNest &stage = nestWith(nest, transform); &stage != &nest)
        return apply(stage, transform);
    if (transform.kind != TransformKind::NonTemporal && transform.axes.empty())
        return invalid(transform, "an axis is missing");
    if (const std::size_t most = mostAxesOf(transform.kind); transform.axes.size() > most)
        return invalid(transform, format("{} axes are given; it takes {}", transform.axes.size(), most));
    switch (transform.kind) {
    case TransformKind::Split:
        return split(nest, transform);
    case TransformKind::Reorder:
        return reorder(nest, transform);
    case TransformKind::SetType:
        return setType(nest, transform);
    case TransformKind::Merge:
        return merge(nest, transform);
    case TransformKind::Mask:
        return mask(nest, transform);
    case TransformKind::Pack:
    case TransformKind::Share:
        return pack(nest, transform);
    case TransformKind::NonTemporal:
        return nonTemporal(nest, transform);
    case TransformKind::Group:
        return group(nest, transform);
    case TransformKind::Unroll:
        return unroll(nest, transform);
    case TransformKind::Tensorize:
        return tensorize(nest, transform);
    case TransformKind::Pad:
        return pad(nest, transform);
    case TransformKind::Prefetch:
        return prefetch(nest, transform);
    }
    SW_UNREACHABLE();
}

} // namespace

Result<LoopNest> applyTransform(const LoopNest &nest, const Transform &transform)
{
    LoopNest changed = nest;
    SW_CHECK(apply(changed, transform));
    changed.transforms.push_back(transform);
    return changed;
}

LoopNest withFirstTransforms(const LoopNest &nest, std::span<const Transform> all, std::size_t count)
{
    LoopNest changed = nest;
    while (changed.transforms.size() < count) {
        const Transform &transform = all[changed.transforms.size()];
        const Result<Done> applied = apply(changed, transform);
        SW_ASSERT(applied.has_value(), "a transformation that applies: " + toText(transform));
        changed.transforms.push_back(transform);
    }
    return changed;
}

LoopNest mergeAxes(LoopNest nest)
{
    for (std::size_t reduction = 0; reduction <= nest.reductions.size(); ++reduction)
        mergeList(nest, reduction);
    return nest;
}

} // namespace sw
