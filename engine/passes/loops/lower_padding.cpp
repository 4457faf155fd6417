// Padded axes: what the indices that do not exist would store is not stored. What they would load is told by conditions of the
// loads, which need no check again where an index is known to exist.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

std::vector<AxisId> KernelLowering::paddedAxesOf(const StoreStatement &statement) const
{
    std::vector<AxisId> padded = m_nest.arena.axesOf(statement.index);
    std::erase_if(padded, [&](AxisId axis) { return m_nest.axes[axis.value].existing == 0; });
    return padded;
}

// Whether all lanes of the point along the axis exist if the first one does.
bool KernelLowering::isWhole(AxisId padded, const Point &point) const
{
    const auto found = point.find(padded);
    if (found == point.end() || found->second.lanes == 1)
        return true;
    const Chunk &chunk = found->second;
    const std::int64_t lanes = chunk.lanes;
    if (chunk.step != 1 || chunk.missing > 0 || m_nest.axes[padded.value].existing % lanes != 0)
        return false;
    std::int64_t constant = chunk.offset;
    for (const IndexTerm &term : m_axes[padded.value]) {
        if (term.counter.isValid() && term.stride % lanes != 0)
            return false;
        constant += term.counter.isValid() ? 0 : term.stride;
    }
    return constant % lanes == 0;
}

// Whether the first lane of the point has an index of the axis.
InstructionId KernelLowering::existsAt(const Origin &origin, AxisId padded, const Point &point)
{
    IndexParts place{.base = {}};
    addAxis(origin, place, padded, 1, point);
    InstructionId index = place.base;
    if (place.constant != 0 || !index.isValid()) {
        const InstructionId further = m_builder.index(origin, place.constant);
        index = index.isValid() ? m_builder.alu(origin, Op::Add, {index, further}) : further;
    }
    return m_builder.alu(origin, Op::Cmplt, {index, m_builder.index(origin, m_nest.axes[padded.value].existing)});
}

// Computes and stores the lanes of the point that exist.
void KernelLowering::storeExisting(const StoreStatement &statement, const std::vector<AxisId> &padded, const Point &point)
{
    const Origin &origin = statement.origin;
    InstructionId exists;
    for (const AxisId axis : padded) {
        const InstructionId here = existsAt(origin, axis, point);
        exists = exists.isValid() ? m_builder.alu(origin, Op::And, {exists, here}) : here;
    }
    m_builder.beginIf(origin, exists);
    withScope([&] {
        std::vector<AxisId> guarded = padded;
        std::erase_if(guarded, [&](AxisId axis) { return !isWhole(axis, point); });
        for (const AxisId axis : guarded)
            m_isGuarded[axis.value] = 1;
        if (guarded.size() == padded.size()) {
            const InstructionId value = widened(origin, valueAt(statement.value, point), lanesOf(point));
            for (const StoredPart &part : storedParts(origin, value, point))
                storeInto(m_memory.at(statement.buffer), statement, part);
        } else {
            storeLanes(statement, padded, point);
        }
        for (const AxisId axis : guarded)
            m_isGuarded[axis.value] = 0;
    });
    m_builder.endIf(origin);
}

// The first lane exists.
void KernelLowering::storeLanes(const StoreStatement &statement, const std::vector<AxisId> &padded, const Point &point)
{
    const Origin &origin = statement.origin;
    const InstructionId value = widened(origin, valueAt(statement.value, point), lanesOf(point));
    for (std::uint32_t lane = 0; lane < lanesOf(point) - missingOf(point); ++lane) {
        const Point one = laneOf(point, lane);
        const auto along = std::ranges::find_if(padded, [&](AxisId axis) { return !isWhole(axis, point); });
        if (lane > 0)
            m_builder.beginIf(origin, existsAt(origin, *along, one));
        withScope([&] {
            const StoredPart part{.point = one, .value = m_builder.gep(origin, value, lane)};
            storeInto(m_memory.at(statement.buffer), statement, part);
        });
        if (lane > 0)
            m_builder.endIf(origin);
    }
}

bool KernelLowering::isKnownToExist(const RangeCondition &condition) const
{
    const IndexExpr &expr = m_nest.arena.at(condition.expr);
    return expr.kind == ExprKind::Axis && m_isGuarded[expr.axis.value] != 0 && condition.low == 0 &&
           condition.high == m_nest.axes[expr.axis.value].existing;
}

} // namespace sw
