#include "engine/loops/stream_queries.h"

#include "engine/base/cache_line.h"
#include "engine/base/checked_size.h"
#include "engine/base/text.h"
#include "engine/loops/join.h"
#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMostLinesPerStep = 4;

// The leaves of the domain behind the loop, and those of the reduction that the load is summed in.
std::vector<AxisId> leavesInside(const LoopNest &nest, ValueId load, AxisId at)
{
    const auto loop = std::ranges::find(nest.order, at);
    std::vector<AxisId> inside;
    if (loop == nest.order.end())
        return inside;
    inside.assign(loop + 1, nest.order.end());
    for (const Reduction &reduction : nest.reductions) {
        const std::vector<ValueId> summed = valuesUnder(nest, reduction.body, ThroughReductions::No);
        if (std::ranges::find(summed, load) == summed.end())
            continue;
        for (const AxisId leaf : orderOf(nest, reduction))
            if (std::ranges::find(inside, leaf) == inside.end())
                inside.push_back(leaf);
        break;
    }
    return inside;
}

// By how much an expression goes on when axes do.
class IndexAdvance {
public:
    IndexAdvance(const LoopNest &nest, AxisId at, const std::vector<AxisId> &inside)
        : m_nest(nest), m_axis(unsplitAxis(nest, at)), m_step(stepOf(nest, at)), m_inside(inside)
    {
    }

    // In one round of the loop, from any point; nothing: it depends on the point.
    [[nodiscard]] std::optional<std::int64_t> perRound(ExprId id) const
    {
        const IndexExpr &expr = m_nest.arena.at(id);
        if (!m_nest.arena.dependsOn(id, m_axis))
            return 0;
        switch (expr.kind) {
        case ExprKind::Constant:
            return 0;
        case ExprKind::Axis:
            return m_step;
        case ExprKind::Add: {
            const auto a = perRound(expr.a);
            const auto b = perRound(expr.b);
            return a && b ? std::optional((CheckedSize(*a) + *b).saturated()) : std::nullopt;
        }
        case ExprKind::Mul: {
            const auto a = perRound(expr.a);
            return a ? std::optional((CheckedSize(*a) * expr.number).saturated()) : std::nullopt;
        }
        case ExprKind::Div:
        case ExprKind::Mod: {
            const auto a = perRound(expr.a);
            if (!a || *a % expr.number != 0)
                return std::nullopt;
            return expr.kind == ExprKind::Div ? *a / expr.number : 0;
        }
        }
        SW_UNREACHABLE();
    }

    // From the least to the largest value in one round, at most.
    [[nodiscard]] std::int64_t within(ExprId id) const
    {
        const IndexExpr &expr = m_nest.arena.at(id);
        switch (expr.kind) {
        case ExprKind::Constant:
            return 0;
        case ExprKind::Axis: {
            CheckedSize span = 0;
            for (const AxisId leaf : m_inside)
                if (unsplitAxis(m_nest, leaf) == expr.axis)
                    span = span + CheckedSize(m_nest.axes[leaf.value].extent - 1) * stepOf(m_nest, leaf);
            return span.saturated();
        }
        case ExprKind::Add:
            return (CheckedSize(within(expr.a)) + within(expr.b)).saturated();
        case ExprKind::Mul:
            return (CheckedSize(within(expr.a)) * std::abs(expr.number)).saturated();
        case ExprKind::Div:
            return (within(expr.a) + (beginsAtMultiple(expr) ? 0 : expr.number - 1)) / expr.number;
        case ExprKind::Mod:
            return std::min(within(expr.a), expr.number - 1);
        }
        SW_UNREACHABLE();
    }

private:
    // Whether the operand of a quotient is a multiple of its divisor where a round begins.
    [[nodiscard]] bool beginsAtMultiple(const IndexExpr &expr) const
    {
        const IndexArena::Sum sum = m_nest.arena.sumOf(expr.a);
        return sum.constant % expr.number == 0 && std::ranges::all_of(sum.terms, [&](const IndexArena::Term &term) {
                   const IndexExpr &part = m_nest.arena.at(term.second);
                   return part.kind == ExprKind::Axis && std::ranges::all_of(leavesOf(m_nest, part.axis), [&](AxisId leaf) {
                              return std::ranges::find(m_inside, leaf) != m_inside.end() ||
                                     term.first * stepOf(m_nest, leaf) % expr.number == 0;
                          });
               });
    }

    const LoopNest &m_nest;
    AxisId m_axis;
    std::int64_t m_step;
    const std::vector<AxisId> &m_inside;
};

} // namespace

std::optional<StreamedRegion> streamedRegionOf(const LoopNest &nest, ValueId load, AxisId at)
{
    const Value &value = nest.values[load.value];
    const std::vector<AxisId> inside = leavesInside(nest, load, at);
    const IndexAdvance advance(nest, at, inside);
    const std::optional<std::int64_t> distance = advance.perRound(value.index);
    if (!distance || *distance == 0)
        return std::nullopt;
    StreamedRegion region{.elements = advance.within(value.index) + 1, .distance = *distance};
    CheckedSize points = 1;
    CheckedSize steps = 1;
    for (const AxisId leaf : inside) {
        const Axis &axis = nest.axes[leaf.value];
        if (nest.arena.dependsOn(value.index, unsplitAxis(nest, leaf)))
            points *= axis.extent;
        if (isRepeated(axis.type))
            continue;
        region.loops.push_back(leaf);
        steps *= axis.extent;
    }
    region.steps = steps.saturated();
    return points.saturated() < region.elements ? std::nullopt : std::optional(std::move(region));
}

std::optional<std::string> streamProblemOf(const LoopNest &nest, const Stream &stream)
{
    const Value &value = nest.values[stream.load.value];
    if (value.kind != ValueKind::Load || !value.buffer.isValid())
        return format("v{} loads nothing from a buffer", stream.load.value);
    if (std::ranges::find(nest.packs, stream.load, &Pack::load) != nest.packs.end())
        return format("v{} is read from a copy", stream.load.value);
    const Axis &loop = nest.axes[stream.at.value];
    if (loop.type != AxisType::Loop || std::ranges::find(nest.order, stream.at) == nest.order.end())
        return format("{} is no loop of the domain; only one that is run round by round has a next round", loop.name);
    const std::optional<StreamedRegion> region = streamedRegionOf(nest, stream.load, stream.at);
    if (!region)
        return format(
            "v{} does not read elements that lie side by side in a round of {}, or not the same distance on in the next "
            "one",
            stream.load.value, loop.name);
    const std::int64_t lines = (region->elementsPerStep() * bytesOf(value.dtype) + kCacheLineBytes - 1) / kCacheLineBytes;
    if (lines > kMostLinesPerStep)
        return format("a round of {} has {} steps for {} elements: at most {} cache lines are fetched in a step", loop.name,
                      region->steps, region->elements, kMostLinesPerStep);
    return std::nullopt;
}

} // namespace sw
