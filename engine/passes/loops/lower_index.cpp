#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

InstructionId KernelLowering::sumTerm(const Origin &origin, InstructionId total, InstructionId part, std::int64_t factor)
{
    if (factor != 1)
        part = m_builder.alu(origin, Op::Mul, {part, m_builder.index(origin, factor)});
    return total.isValid() ? m_builder.alu(origin, Op::Add, {total, part}) : part;
}

// Adds factor times the index of an unsplit axis.
void KernelLowering::addAxis(const Origin &origin, IndexParts &parts, AxisId axis, std::int64_t factor, const Point &point)
{
    for (const auto &[counter, stride, whole] : m_axes[axis.value]) {
        if (counter.isValid())
            parts.base = sumTerm(origin, parts.base, counter, factor * stride);
        else
            parts.constant += factor * stride;
    }
    const auto chunk = point.find(axis);
    if (chunk == point.end())
        return;
    parts.constant += factor * chunk->second.offset;
    if (chunk->second.lanes > 1)
        parts.coefficient += factor * chunk->second.step;
}

// From lane to lane, how far an expression goes. 0: not at all, or not evenly.
std::int64_t KernelLowering::laneStep(ExprId expr, const Point &point) const
{
    std::int64_t step = 0;
    for (const auto &[factor, part] : m_nest.arena.sumOf(expr).terms) {
        for (const auto &[axis, chunk] : point) {
            if (chunk.lanes == 1 || !m_nest.arena.dependsOn(part, axis))
                continue;
            if (m_nest.arena.at(part).kind != ExprKind::Axis)
                return 0;
            step += factor * chunk.step;
        }
    }
    return step;
}

// From lane to lane, how far the operand of a quotient or a remainder goes, if all lanes stay in one block of the divisor: the
// quotient is then the same in all of them. 0: they may not.
std::int64_t KernelLowering::stepInBlock(const IndexExpr &term, const Point &point) const
{
    const std::int64_t lanes = lanesOf(point);
    if (lanes == 1 || term.number % lanes != 0 || !isMultipleOf(term.a, point, lanes))
        return 0;
    return laneStep(term.a, point) == 1 ? 1 : 0;
}

// Whether the operand goes from lane to lane by whole blocks of the divisor: the remainder is then the same in all lanes, and
// the quotient goes evenly.
bool KernelLowering::goesByBlocks(const IndexExpr &term, const Point &point) const
{
    const std::int64_t step = laneStep(term.a, point);
    return step != 0 && step % term.number == 0;
}

// Whether the expression is the same in all lanes: only quotients move with them, and the lanes stay in one block of the divisor.
bool KernelLowering::isSameInAllLanes(ExprId expr, const Point &point) const
{
    for (const auto &[factor, part] : m_nest.arena.sumOf(expr).terms) {
        const IndexExpr &term = m_nest.arena.at(part);
        const bool moves = std::ranges::any_of(
            point, [&](const auto &each) { return each.second.lanes > 1 && m_nest.arena.dependsOn(part, each.first); });
        if (moves && (term.kind != ExprKind::Div || stepInBlock(term, point) == 0))
            return false;
    }
    return true;
}

// Whether all lanes load the same element, as channels of one group do of the image: one load serves them all.
bool KernelLowering::isOneElement(const Value &value, const Point &point) const
{
    return isSameInAllLanes(value.index, point) && std::ranges::all_of(value.conditions, [&](const RangeCondition &condition) {
               return isSameInAllLanes(condition.expr, point);
           });
}

KernelLowering::IndexParts KernelLowering::indexParts(const Origin &origin, ExprId expr, const Point &point)
{
    return indexParts(origin, m_nest.arena.sumOf(expr), point);
}

KernelLowering::IndexParts KernelLowering::indexParts(const Origin &origin, const IndexArena::Sum &sum, const Point &point)
{
    IndexParts parts{.base = {}, .constant = sum.constant};
    for (const auto &[factor, part] : sum.terms) {
        const IndexExpr &term = m_nest.arena.at(part);
        if (term.kind == ExprKind::Axis) {
            addAxis(origin, parts, term.axis, factor, point);
            continue;
        }
        if (goesByBlocks(term, point))
            parts.coefficient += term.kind == ExprKind::Div ? factor * (laneStep(term.a, point) / term.number) : 0;
        else if (const std::int64_t step = stepInBlock(term, point))
            parts.coefficient += term.kind == ExprKind::Mod ? factor * step : 0;
        else
            for (const auto &[axis, chunk] : point)
                if (chunk.lanes > 1 && m_nest.arena.dependsOn(part, axis))
                    parts.isLinear = false;
        const InstructionId operand = scalarIndex(origin, term.a, point);
        // Truncating and flooring agree where nothing is negative.
        const bool isNegative = m_nest.arena.at(term.a).low < 0;
        const Op quotient = isNegative ? Op::FloorDiv : Op::Idiv;
        const Op op = term.kind == ExprKind::Div ? quotient : (isNegative ? Op::FloorMod : Op::Mod);
        const InstructionId value = m_builder.alu(origin, op, {operand, m_builder.index(origin, term.number)});
        parts.base = sumTerm(origin, parts.base, value, factor);
    }
    return parts;
}

InstructionId KernelLowering::scalarIndex(const Origin &origin, ExprId expr, const Point &point)
{
    return scalarIndex(origin, indexParts(origin, expr, point));
}

InstructionId KernelLowering::scalarIndex(const Origin &origin, const IndexParts &parts)
{
    if (!parts.base.isValid())
        return m_builder.index(origin, parts.constant);
    if (parts.constant == 0)
        return parts.base;
    return m_builder.alu(origin, Op::Add, {parts.base, m_builder.index(origin, parts.constant)});
}

InstructionId KernelLowering::vectorIndex(const Origin &origin, const IndexParts &parts, std::uint32_t lanes)
{
    std::vector<Scalar> steps;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        steps.push_back(Scalar::of(DType::I64, parts.constant + parts.coefficient * static_cast<std::int64_t>(lane)));
    const InstructionId offsets = m_builder.vconst(origin, std::move(steps));
    if (!parts.base.isValid())
        return offsets;
    return m_builder.alu(origin, Op::Add, {widened(origin, parts.base, lanes), offsets});
}

bool KernelLowering::isAlignedRun(ExprId index, const Point &point, DType dtype) const
{
    const std::uint32_t lanes = lanesOf(point);
    return lanes > 1 && isMultipleOf(index, point, alignedLanes(dtype, lanes));
}

bool KernelLowering::isMultipleOf(ExprId expr, const Point &point, std::int64_t lanes) const
{
    const IndexArena::Sum sum = m_nest.arena.sumOf(expr);
    std::int64_t constant = sum.constant;
    for (const auto &[factor, part] : sum.terms) {
        const IndexExpr &term = m_nest.arena.at(part);
        if (term.kind != ExprKind::Axis) {
            if (factor % lanes != 0)
                return false;
            continue;
        }
        for (const auto &[counter, stride, whole] : m_axes[term.axis.value]) {
            if (!counter.isValid())
                constant += factor * stride;
            else if (factor * stride % lanes != 0)
                return false;
        }
        const auto chunk = point.find(term.axis);
        if (chunk != point.end())
            constant += factor * chunk->second.offset;
    }
    return constant % lanes == 0;
}

// The least and the largest value that a sum takes in the lanes of the point, while the loops that are open run.
std::pair<std::int64_t, std::int64_t> KernelLowering::boundsAt(const IndexArena::Sum &sum, const Point &point) const
{
    std::int64_t low = sum.constant;
    std::int64_t high = sum.constant;
    const auto add = [&](std::int64_t first, std::int64_t last) {
        low += std::min(first, last);
        high += std::max(first, last);
    };
    for (const auto &[factor, part] : sum.terms) {
        const IndexExpr &term = m_nest.arena.at(part);
        if (term.kind != ExprKind::Axis) {
            add(factor * term.low, factor * term.high);
            continue;
        }
        for (const auto &[counter, stride, loop] : m_axes[term.axis.value]) {
            const std::int64_t first = counter.isValid() ? 0 : stride;
            add(factor * first, factor * (counter.isValid() ? stride * (m_extents[loop.value] - 1) : stride));
        }
        const auto chunk = point.find(term.axis);
        if (chunk == point.end())
            continue;
        const std::int64_t first = chunk->second.offset;
        add(factor * first, factor * (first + static_cast<std::int64_t>(chunk->second.lanes - 1) * chunk->second.step));
    }
    return {low, high};
}

// No further than the expression goes at all: lanes without an index do.
std::pair<std::int64_t, std::int64_t> KernelLowering::boundsAt(ExprId expr, const Point &point) const
{
    const auto [low, high] = boundsAt(m_nest.arena.sumOf(expr), point);
    const IndexExpr &whole = m_nest.arena.at(expr);
    return {std::max(low, whole.low), std::min(high, whole.high)};
}

std::optional<InstructionId> KernelLowering::conditionsAt(const Origin &origin, const std::vector<RangeCondition> &conditions,
                                                          const Point &point)
{
    InstructionId all;
    const auto require = [&](InstructionId condition) {
        if (!all.isValid()) {
            all = condition;
            return;
        }
        const std::uint32_t lanes = std::max(m_builder.at(all).lanes, m_builder.at(condition).lanes);
        all = m_builder.alu(origin, Op::And, {widened(origin, all, lanes), widened(origin, condition, lanes)});
    };
    for (const RangeCondition &condition : conditions) {
        if (isKnownToExist(condition) || isHolding(condition))
            continue;
        const auto [low, high] = boundsAt(condition.expr, point);
        if (low >= condition.low && high < condition.high)
            continue;
        const IndexParts parts = indexParts(origin, condition.expr, point);
        if (!parts.isLinear)
            return std::nullopt;
        const std::uint32_t lanes = parts.coefficient != 0 ? lanesOf(point) : 1;
        const InstructionId index = lanes > 1 ? vectorIndex(origin, parts, lanes) : scalarIndex(origin, condition.expr, point);
        const auto limit = [&](std::int64_t value) { return m_builder.constant(origin, Scalar::of(DType::I64, value), lanes); };
        if (low < condition.low)
            require(m_builder.alu(origin, Op::Cmple, {limit(condition.low), index}));
        if (high >= condition.high)
            require(m_builder.alu(origin, Op::Cmplt, {index, limit(condition.high)}));
    }
    return all;
}

} // namespace sw
