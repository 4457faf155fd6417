#include "engine/loops/division.h"

#include "engine/loops/padding.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <functional>
#include <span>

namespace sw {

namespace {

void forEachIndex(const LoopNest &nest, const std::function<void(ExprId)> &visit)
{
    for (const Value &value : nest.values) {
        if (value.index.isValid())
            visit(value.index);
        for (const RangeCondition &condition : value.conditions)
            visit(condition.expr);
    }
    for (const StoreStatement &store : nest.stores)
        visit(store.index);
}

// Collects what divides the axis in an index.
class Divisors {
public:
    Divisors(const LoopNest &nest, AxisId axis) : m_arena(nest.arena), m_axis(axis) {}

    void visit(ExprId id)
    {
        const IndexExpr &expr = m_arena.at(id);
        switch (expr.kind) {
        case ExprKind::Constant:
        case ExprKind::Axis:
            return;
        case ExprKind::Add:
            visit(expr.a);
            visit(expr.b);
            return;
        case ExprKind::Mul:
            visit(expr.a);
            return;
        case ExprKind::Div:
        case ExprKind::Mod:
            break;
        }
        if (!m_arena.dependsOn(id, m_axis))
            return;
        // i // 1600, i % 40, and i // 40 % 40, whose outer number counts in rows of 40.
        const IndexExpr &divided = m_arena.at(expr.a);
        if (divided.kind == ExprKind::Axis)
            m_found.push_back(expr.number);
        else if (divided.kind == ExprKind::Div && m_arena.at(divided.a).kind == ExprKind::Axis)
            m_found.insert(m_found.end(), {divided.number, divided.number * expr.number});
        else
            m_isOfSums = true;
    }

    [[nodiscard]] std::vector<std::int64_t> take()
    {
        if (m_isOfSums)
            return {};
        std::ranges::sort(m_found);
        m_found.erase(std::unique(m_found.begin(), m_found.end()), m_found.end());
        return std::move(m_found);
    }

private:
    const IndexArena &m_arena;
    AxisId m_axis;
    std::vector<std::int64_t> m_found;
    bool m_isOfSums = false;
};

} // namespace

std::optional<std::string> divisionProblemOf(const LoopNest &nest, AxisId leaf, std::int64_t divisor)
{
    const Axis &axis = nest.axes[leaf.value];
    if (axis.source.isValid())
        return format("{} is a part of an axis; the whole one is divided, before it is split", axis.name);
    if (axis.existing != 0)
        return format("{} is padded; axes are divided before that", axis.name);
    if (axis.end.isValid())
        return format("{} ends at a value of the run, which may be in the middle of a row", axis.name);
    if (axis.type != AxisType::Loop && axis.type != AxisType::Reduce)
        return format("{} is {} already; axes are divided before that", axis.name, nameOf(axis.type));
    if (divisor < 2 || divisor >= axis.extent || axis.extent % divisor != 0)
        return format("{} has {} indices; they are divided by a number from 2 on that divides them, and is less", axis.name,
                      axis.extent);
    if (const auto rows = std::span(nest.domain).first(nest.rowAxes); std::ranges::find(rows, leaf) != rows.end())
        return "the rows of the kernel's stages are axes of their own, so none is divided";
    if (!nest.packs.empty() || !nest.prefetches.empty() || !nest.streams.empty())
        return "axes are divided before what is read is copied or fetched";
    if (blockLoopOf(nest))
        return "axes are divided before a reduction is done in blocks";
    if (std::ranges::any_of(nest.reductions, [](const Reduction &reduction) { return reduction.isTiled; }))
        return "axes are divided before the steps of a reduction are products of tiles";
    return std::nullopt;
}

void divideAxis(LoopNest &nest, AxisId leaf, std::int64_t divisor)
{
    const AxisId quotient(nest.axes.size());
    const AxisId remainder(quotient.value + 1);
    const Axis whole = nest.axes[leaf.value];
    Axis part = whole;
    part.name = whole.name + ".q";
    part.extent = whole.extent / divisor;
    nest.axes.push_back(part);
    part.name = whole.name + ".r";
    part.extent = divisor;
    nest.axes.push_back(part);
    const ExprId rows = nest.arena.multiply(nest.arena.axis(quotient, whole.extent / divisor), divisor);
    const ExprId index = nest.arena.add(rows, nest.arena.axis(remainder, divisor));
    substituteAxes(nest, [&](AxisId id) { return id == leaf ? index : nest.arena.axis(id, nest.axes[id.value].extent); });
    const auto replace = [&](std::vector<AxisId> &list) {
        const auto at = std::ranges::find(list, leaf);
        if (at == list.end())
            return;
        *at = quotient;
        list.insert(at + 1, remainder);
    };
    replace(nest.order);
    replace(nest.domain);
    for (Reduction &reduction : nest.reductions) {
        replace(reduction.order);
        replace(reduction.axes);
    }
}

std::vector<std::int64_t> divisorsOf(const LoopNest &nest, AxisId axis)
{
    Divisors divisors(nest, axis);
    forEachIndex(nest, [&](ExprId index) { divisors.visit(index); });
    return divisors.take();
}

} // namespace sw
