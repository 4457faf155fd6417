#include "engine/loops/transform.h"

#include "engine/base/assert.h"
#include "engine/loops/division.h"
#include "engine/loops/join.h"
#include "engine/loops/padding.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform_steps.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sw {

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
        return invalid(transform, format("axis {} is not a loop: it was split, divided, merged or joined", name));
    return *found;
}

namespace {

constexpr std::int64_t kMostGroupItems = 1024;
constexpr std::int64_t kMostCopies = 1024;

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

Result<Done> mask(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    Axis &axis = nest.axes[leaf.value];
    if (axis.isReduce || axis.type != AxisType::Vector)
        return invalid(transform, format("{} is no vector of the domain; only such a one is masked", axis.name));
    axis.isMasked = true;
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

// An axis is replaced by one or two others: it is padded to a multiple of the factor, or divided by it.
Result<Done> replaceAxis(LoopNest &nest, const Transform &transform, decltype(padProblemOf) problemOf, decltype(padAxis) replace)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    if (const auto problem = problemOf(nest, leaf, transform.factor))
        return invalid(transform, *problem);
    replace(nest, leaf, transform.factor);
    return Done{};
}

std::size_t mostAxesOf(TransformKind kind)
{
    switch (kind) {
    case TransformKind::Split:
    case TransformKind::Divide:
    case TransformKind::SetType:
    case TransformKind::Mask:
    case TransformKind::Group:
    case TransformKind::Unroll:
    case TransformKind::Tensorize:
    case TransformKind::Pad:
    case TransformKind::Prefetch:
    case TransformKind::Stream:
        return 1;
    case TransformKind::Merge:
    case TransformKind::Join:
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

Result<Done> applyToJoined(LoopNest &nest, const Transform &transform);

Result<Done> apply(LoopNest &nest, const Transform &transform)
{
    if (LoopNest &stage = nestWith(nest, transform); &stage != &nest)
        return applyToJoined(stage, transform);
    if (transform.kind != TransformKind::NonTemporal && transform.axes.empty())
        return invalid(transform, "an axis is missing");
    if (const std::size_t most = mostAxesOf(transform.kind); transform.axes.size() > most)
        return invalid(transform, format("{} axes are given; it takes {}", transform.axes.size(), most));
    switch (transform.kind) {
    case TransformKind::Split:
        return split(nest, transform);
    case TransformKind::Reorder:
        return applyReorder(nest, transform);
    case TransformKind::SetType:
        return setType(nest, transform);
    case TransformKind::Merge:
        return applyMerge(nest, transform);
    case TransformKind::Divide:
        return replaceAxis(nest, transform, divisionProblemOf, divideAxis);
    case TransformKind::Mask:
        return mask(nest, transform);
    case TransformKind::Pack:
    case TransformKind::Share:
        return applyPack(nest, transform);
    case TransformKind::NonTemporal:
        return applyNonTemporal(nest, transform);
    case TransformKind::Group:
        return group(nest, transform);
    case TransformKind::Unroll:
        return unroll(nest, transform);
    case TransformKind::Tensorize:
        return tensorize(nest, transform);
    case TransformKind::Pad:
        return replaceAxis(nest, transform, padProblemOf, padAxis);
    case TransformKind::Prefetch:
        return applyPrefetch(nest, transform);
    case TransformKind::Stream:
        return applyStream(nest, transform);
    case TransformKind::Join:
        return applyJoin(nest, transform);
    }
    SW_UNREACHABLE();
}

// And what is joined stays so.
Result<Done> applyToJoined(LoopNest &nest, const Transform &transform)
{
    SW_CHECK(apply(nest, transform));
    keepJoined(nest);
    if (const auto problem = joinedProblemOf(nest))
        return invalid(transform, *problem);
    return Done{};
}

} // namespace

Result<LoopNest> applyTransform(LoopNest nest, const Transform &transform)
{
    SW_CHECK(applyToJoined(nest, transform));
    nest.transforms.push_back(transform);
    return nest;
}

LoopNest withFirstTransforms(const LoopNest &nest, std::span<const Transform> all, std::size_t count)
{
    LoopNest changed = nest;
    while (changed.transforms.size() < count) {
        const Transform &transform = all[changed.transforms.size()];
        const Result<Done> applied = applyToJoined(changed, transform);
        SW_ASSERT(applied.has_value(), "a transformation that applies: " + toText(transform));
        changed.transforms.push_back(transform);
    }
    return changed;
}

} // namespace sw
