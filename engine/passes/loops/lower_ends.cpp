// Loops that end at a value of the run: where they end, and what is done about the part of a tile that lies past it.
//
// A tile of the domain that reaches past the end is computed as a whole: nobody reads what lies there, and the buffers have room
// for the largest extent. A reduction takes nothing from there: the steps of its last tile are masked, or all of them where no
// loop is left to be cut short.

#include "engine/loops/padding.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

void KernelLowering::defineEnds()
{
    for (std::size_t axis = 0; axis < m_nest.axes.size(); ++axis)
        if (const ValueId end = m_nest.axes[axis].end; end.isValid() && m_dependencies[end.value].empty())
            m_ends[axis] = loopEnd(end);
}

// The end of a mask may lie before the first index: a loop then has no rounds.
InstructionId KernelLowering::loopEnd(ValueId end)
{
    const Value &value = m_nest.values[end.value];
    const InstructionId made = valueAt(end, {});
    const bool isDimension = value.kind == ValueKind::Load && dimensionOf(value) != nullptr && dimensionOf(value)->low >= 0;
    return isDimension ? made : m_builder.alu(value.origin, Op::Max, {made, m_builder.index(value.origin, 0)});
}

// The ends that move with the domain are known where the reduction stands. If they move with what is repeated in registers, no
// loop can end at all of them.
std::vector<InstructionId> KernelLowering::endsBefore(const Reduction &reduction)
{
    const std::vector<InstructionId> before = m_ends;
    for (const AxisId axis : reduction.axes) {
        const ValueId end = m_nest.axes[axis.value].end;
        if (!end.isValid() || m_ends[axis.value].isValid())
            continue;
        const bool isOne =
            std::ranges::none_of(m_dependencies[end.value], [&](AxisId moving) { return m_tiling.tileOf(moving).isValid(); });
        if (isOne && m_blockPhase == BlockPhase::None)
            m_ends[axis.value] = loopEnd(end);
    }
    return before;
}

// How far the end of the leaf's axis lies from where the open loops stand; 0 where they are past it.
InstructionId KernelLowering::leftAt(AxisId leaf)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const AxisId whole = m_tiling.unsplit(leaf);
    IndexParts done{.base = {}};
    addAxis(origin, done, whole, 1, {});
    if (!done.base.isValid() && done.constant == 0)
        return m_ends[whole.value];
    InstructionId before = done.base;
    if (done.constant != 0 || !before.isValid()) {
        const InstructionId further = m_builder.index(origin, done.constant);
        before = before.isValid() ? m_builder.alu(origin, Op::Add, {before, further}) : further;
    }
    const InstructionId left = m_builder.alu(origin, Op::Sub, {m_ends[whole.value], before});
    return m_builder.alu(origin, Op::Max, {left, m_builder.index(origin, 0)});
}

// How many indices of the leaf begin below the end: ceil(left / stride).
InstructionId KernelLowering::countAt(AxisId leaf)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const std::int64_t stride = m_tiling.strideOf(leaf);
    InstructionId count = leftAt(leaf);
    if (stride != 1) {
        count = m_builder.alu(origin, Op::Add, {count, m_builder.index(origin, stride - 1)});
        count = m_builder.alu(origin, Op::Idiv, {count, m_builder.index(origin, stride)});
    }
    return m_builder.alu(origin, Op::Min, {count, m_builder.index(origin, m_extents[leaf.value])});
}

// How many indices of the leaf lie below the end with all that is repeated in registers inside of it:
// floor((left - span) / stride) + 1.
InstructionId KernelLowering::wholeCountAt(AxisId leaf)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const std::int64_t stride = m_tiling.strideOf(leaf);
    InstructionId count = leftAt(leaf);
    if (const std::int64_t span = spanOf(leaf); span != stride) {
        count = m_builder.alu(origin, Op::Add, {count, m_builder.index(origin, stride - span)});
        count = m_builder.alu(origin, Op::Max, {count, m_builder.index(origin, 0)});
    }
    count = m_builder.alu(origin, Op::Idiv, {count, m_builder.index(origin, stride)});
    return m_builder.alu(origin, Op::Min, {count, m_builder.index(origin, m_extents[leaf.value])});
}

// Whether the other loops of the leaf's axis are open, or do not move.
bool KernelLowering::isLastLoop(AxisId leaf) const
{
    return std::ranges::all_of(m_tiling.leavesOf(m_tiling.unsplit(leaf)), [&](AxisId other) {
        return other == leaf || m_tiling.isInTile(other) || m_isOpen[other.value] != 0 || m_isFixed[other.value] != 0;
    });
}

// From the first to the last index of the axis that is repeated in registers inside of the leaf, both included.
std::int64_t KernelLowering::spanOf(AxisId leaf) const
{
    const AxisId tile = m_tiling.tileOf(m_tiling.unsplit(leaf));
    return tile.isValid() ? (m_extents[tile.value] - 1) * m_tiling.strideOf(tile) + 1 : 1;
}

InstructionId KernelLowering::openLoop(AxisId leaf, InstructionId count)
{
    const Axis &axis = m_nest.axes[leaf.value];
    if (axis.copies == 1)
        return m_builder.beginRange(axis.origin, count, axis.name);
    return m_builder.add({.kind = InstructionKind::Unroll,
                          .operands = {count},
                          .copies = static_cast<std::uint32_t>(axis.copies),
                          .name = axis.name,
                          .origin = axis.origin});
}

void KernelLowering::emitEndingLoop(AxisId leaf, const std::function<void(const std::vector<InstructionId> &)> &inside)
{
    const Axis &axis = m_nest.axes[leaf.value];
    char &isBelowEnd = m_isBelowEnd[m_tiling.unsplit(leaf).value];
    const char wasBelowEnd = isBelowEnd;
    const bool isLast = axis.isReduce && isLastLoop(leaf);
    const bool hasTail = isLast && spanOf(leaf) > 1;
    const InstructionId count = hasTail ? wholeCountAt(leaf) : countAt(leaf);
    const InstructionId counter = openLoop(leaf, count);
    isBelowEnd = isLast ? 1 : 0;
    withScope([&] { inside({counter}); });
    isBelowEnd = 0;
    m_builder.endRange(axis.origin);
    if (hasTail) {
        m_builder.beginBlock(axis.origin, format("steps of {} at its end", axis.name));
        const InstructionId left = m_builder.alu(axis.origin, Op::Sub, {countAt(leaf), count});
        const InstructionId further = m_builder.beginRange(axis.origin, left, axis.name + ".end");
        withScope([&] { inside({count, further}); });
        m_builder.endRange(axis.origin);
        m_builder.endBlock(axis.origin);
    }
    isBelowEnd = wasBelowEnd;
}

// Opens a condition that holds if the end of the leaf's axis lies behind where the open loops stand. Where work items wait for
// each other, all of them go on.
bool KernelLowering::beginBeforeEnd(AxisId leaf)
{
    if (!hasEnd(leaf) || m_groupItems > 1)
        return false;
    const Origin &origin = m_nest.axes[leaf.value].origin;
    m_builder.beginIf(origin, m_builder.alu(origin, Op::Cmplt, {m_builder.index(origin, 0), leftAt(leaf)}));
    return true;
}

// A step of the reduction, or its identity where the step lies at the end of an axis or past it, or does not exist.
InstructionId KernelLowering::withinEnds(const Reduction &reduction, InstructionId value, const Point &point)
{
    const Origin &origin = reduction.origin;
    const Scalar identity = identityOf(reduction.op, m_schedule.graph->node(reduction.node).dtype).castTo(reduction.dtype);
    for (const AxisId axis : reduction.axes) {
        const ValueId ended = m_nest.axes[axis.value].end;
        const std::int64_t existing = m_nest.axes[axis.value].existing;
        const bool isPadded = !ended.isValid() && existing != 0 && !isNothingBehind(m_nest, reduction, axis);
        if (!isPadded && (!ended.isValid() || m_isBelowEnd[axis.value] != 0))
            continue;
        IndexParts place{.base = {}};
        addAxis(origin, place, axis, 1, point);
        InstructionId index = place.base;
        if (place.coefficient != 0) {
            index = vectorIndex(origin, place, lanesOf(point));
        } else if (place.constant != 0 || !index.isValid()) {
            const InstructionId further = m_builder.index(origin, place.constant);
            index = index.isValid() ? m_builder.alu(origin, Op::Add, {index, further}) : further;
        }
        const InstructionId end = isPadded ? m_builder.index(origin, existing) : valueAt(ended, point);
        const std::uint32_t lanes = std::max(m_builder.at(index).lanes, m_builder.at(end).lanes);
        InstructionId isWithin = m_builder.alu(origin, Op::Cmplt, {widened(origin, index, lanes), widened(origin, end, lanes)});
        const std::uint32_t wide = std::max(lanes, m_builder.at(value).lanes);
        isWithin = widened(origin, isWithin, wide);
        value = m_builder.alu(origin, Op::Where,
                              {isWithin, widened(origin, value, wide), m_builder.constant(origin, identity, wide)});
    }
    return value;
}

} // namespace sw
