// The transformations of a plan, one by one. Those that the heuristic chooses apply, or it has a mistake.

#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/nest_plan.h"

#include <utility>

namespace sw {

bool NestPlan::tryApply(const Transform &transform)
{
    Result<LoopNest> changed = applyTransform(m_nest, transform);
    if (changed)
        m_nest = std::move(changed).value();
    return changed.has_value();
}

void NestPlan::apply(Transform transform)
{
    Result<LoopNest> changed = applyTransform(std::move(m_nest), transform);
    SW_ASSERT(changed.has_value(), "a transformation that applies: " + toText(transform));
    m_nest = std::move(changed).value();
}

NestPlan::Parts NestPlan::split(AxisId axis, std::int64_t factor, const std::string &reason)
{
    apply({.kind = TransformKind::Split, .axes = {nameOf(axis)}, .factor = factor, .reason = reason});
    return {AxisId(m_nest.axes.size() - 2), AxisId(m_nest.axes.size() - 1)};
}

void NestPlan::divide(AxisId axis, std::int64_t divisor, const std::string &reason)
{
    apply({.kind = TransformKind::Divide, .axes = {nameOf(axis)}, .factor = divisor, .reason = reason});
    m_dependencies = valueDependencies(m_nest);
}

void NestPlan::joinReduction(const Transform &join)
{
    apply(join);
    m_dependencies = valueDependencies(m_nest);
}

void NestPlan::setType(AxisId axis, AxisType type, const std::string &reason)
{
    apply({.kind = TransformKind::SetType, .axes = {nameOf(axis)}, .type = type, .reason = reason});
}

void NestPlan::mask(AxisId vector, const std::string &reason)
{
    apply({.kind = TransformKind::Mask, .axes = {nameOf(vector)}, .reason = reason});
}

void NestPlan::reorder(const std::vector<AxisId> &order, const std::string &reason)
{
    if (order == m_nest.order)
        return;
    std::vector<std::string> names;
    for (const AxisId axis : order)
        names.push_back(nameOf(axis));
    apply({.kind = TransformKind::Reorder, .axes = std::move(names), .reason = reason});
}

void NestPlan::pack(ValueId load, AxisId at, const std::vector<AxisId> &axes, const std::string &reason)
{
    std::vector<std::string> names{nameOf(at)};
    for (const AxisId axis : axes)
        names.push_back(nameOf(axis));
    apply({.kind = TransformKind::Pack, .axes = std::move(names), .value = load, .reason = reason});
}

void NestPlan::share(ValueId load, AxisId at, const std::vector<AxisId> &axes, std::int64_t apart, const std::string &reason)
{
    std::vector<std::string> names{nameOf(at)};
    for (const AxisId axis : axes)
        names.push_back(nameOf(axis));
    apply({.kind = TransformKind::Share, .axes = std::move(names), .factor = apart, .value = load, .reason = reason});
}

AxisId NestPlan::pad(AxisId axis, std::int64_t multiple, const std::string &reason)
{
    apply({.kind = TransformKind::Pad, .axes = {nameOf(axis)}, .factor = multiple, .reason = reason});
    m_dependencies = valueDependencies(m_nest);
    return AxisId(m_nest.axes.size() - 1);
}

void NestPlan::prefetch(ValueId load, AxisId at, std::int64_t ahead, const std::string &reason)
{
    apply({.kind = TransformKind::Prefetch, .axes = {nameOf(at)}, .factor = ahead, .value = load, .reason = reason});
}

void NestPlan::stream(ValueId load, AxisId at, const std::string &reason)
{
    apply({.kind = TransformKind::Stream, .axes = {nameOf(at)}, .value = load, .reason = reason});
}

void NestPlan::nonTemporal(std::size_t store, const std::string &reason)
{
    apply({.kind = TransformKind::NonTemporal, .factor = static_cast<std::int64_t>(store), .reason = reason});
}

void NestPlan::group(AxisId axis, std::int64_t items, const std::string &reason)
{
    apply({.kind = TransformKind::Group, .axes = {nameOf(axis)}, .factor = items, .reason = reason});
}

void NestPlan::unroll(AxisId loop, std::int64_t copies, const std::string &reason)
{
    apply({.kind = TransformKind::Unroll, .axes = {nameOf(loop)}, .factor = copies, .reason = reason});
}

void NestPlan::tensorize(AxisId reduceAxis, const std::string &reason, std::optional<TensorInstruction> instruction)
{
    apply({.kind = TransformKind::Tensorize, .axes = {nameOf(reduceAxis)}, .instruction = instruction, .reason = reason});
}

AxisId NestPlan::tile(AxisId axis, std::int64_t tile, std::int64_t lanes, const std::string &reason)
{
    const AxisType repeated = m_nest.axes[axis.value].isReduce ? AxisType::Unroll : AxisType::Upcast;
    Parts parts{AxisId(), axis};
    if (extentOf(axis) > tile)
        parts = split(axis, tile, reason);
    const std::int64_t inner = extentOf(parts.inner);
    if (lanes <= 1) {
        setType(parts.inner, repeated, reason);
    } else if (inner <= lanes) {
        setType(parts.inner, AxisType::Vector, format("{} lanes: {}", lanes, reason));
    } else {
        const Parts vectors = split(parts.inner, lanes, format("vectors of {} lanes", lanes));
        setType(vectors.outer, repeated, format("{} vectors side by side: {}", inner / lanes, reason));
        setType(vectors.inner, AxisType::Vector, format("{} lanes: {}", lanes, reason));
    }
    return parts.outer;
}

} // namespace sw
