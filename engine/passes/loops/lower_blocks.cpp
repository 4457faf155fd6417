// A reduction in blocks: partial results in memory, to which each block adds.

#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/rescaled_powers.h"

#include <algorithm>

namespace sw {

// How many indices of the axis, in steps of its own, the loops inside of the one over blocks go through.
std::int64_t KernelLowering::partialSpan(AxisId axis) const
{
    const std::vector<AxisId> inside = leavesInBlocks(m_nest);
    const auto &parts = m_tiling.partsOf(axis);
    const bool isWhole = std::ranges::find(inside, m_tiling.leavesOf(axis).front()) != inside.end();
    if (isWhole || !parts)
        return isWhole ? m_nest.axes[axis.value].extent : 1;
    return (partialSpan(parts->outer) - 1) * m_nest.axes[parts->outer.value].factor + partialSpan(parts->inner);
}

// The axis that becomes vectors comes last, so that the lanes of a partial result lie side by side.
void KernelLowering::defineBlocks()
{
    const std::optional<AxisId> block = blockLoopOf(m_nest);
    if (!block)
        return;
    m_blockLoop = *block;
    std::vector<AxisId> axes = m_nest.domain;
    std::ranges::stable_partition(axes, [&](AxisId axis) {
        return std::ranges::none_of(m_tiling.leavesOf(axis),
                                    [&](AxisId leaf) { return m_nest.axes[leaf.value].type == AxisType::Vector; });
    });
    std::int64_t elements = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        m_partialStrides.emplace_back(*axis, elements);
        elements *= partialSpan(*axis);
    }
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        const Reduction &reduction = m_nest.reductions[i];
        m_partials[ReductionId(i)] = m_builder.buffer(reduction.origin, reduction.dtype, elements, "partial");
    }
}

// The loops inside are opened three times: to clear the partial results, in each block to add to them, and after the last
// block.
void KernelLowering::emitBlocks(const std::vector<AxisId> &leaves, std::size_t position,
                                const std::function<void(std::size_t)> &before, const std::function<void()> &innermost)
{
    const std::vector<AxisId> inside(leaves.begin() + static_cast<std::ptrdiff_t>(position) + 1, leaves.end());
    const Origin &origin = m_nest.axes[m_blockLoop.value].origin;
    const auto nothing = [](std::size_t) {};
    const auto visit = [&] { emitReduction(m_partials.begin()->first, {}); }; // and what is joined to it
    m_blockStart = standing();
    m_blockPhase = BlockPhase::Clear;
    m_builder.beginBlock(origin, "clear the partial results");
    withScope([&] { emitLoops(inside, 0, nothing, visit); });
    m_builder.endBlock(origin);
    m_blockPhase = BlockPhase::Add;
    withScope([&] { emitLoops({m_blockLoop}, 0, nothing, [&] { emitLoops(inside, 0, nothing, visit); }); });
    m_blockPhase = BlockPhase::Read;
    m_builder.beginBlock(origin, "read the results");
    withScope([&] { emitLoops(inside, 0, [&](std::size_t opened) { before(position + 1 + opened); }, innermost); });
    m_builder.endBlock(origin);
    m_blockPhase = BlockPhase::None;
}

InstructionId KernelLowering::partialAt(const Point &point)
{
    const Origin &origin = m_nest.reductions.front().origin;
    InstructionId at;
    std::int64_t constant = 0;
    for (const auto &[axis, stride] : m_partialStrides) {
        for (std::size_t i = m_blockStart[axis.value]; i < m_axes[axis.value].size(); ++i) {
            const IndexTerm &term = m_axes[axis.value][i];
            if (term.counter.isValid())
                at = sumTerm(origin, at, term.counter, term.stride * stride);
            else
                constant += term.stride * stride;
        }
        const auto chunk = point.find(axis);
        if (chunk != point.end())
            constant += chunk->second.offset * stride;
    }
    if (constant == 0 && at.isValid())
        return at;
    const InstructionId offset = m_builder.index(origin, constant);
    return at.isValid() ? m_builder.alu(origin, Op::Add, {at, offset}) : offset;
}

void KernelLowering::clearPartials(const std::vector<Point> &points)
{
    for (const auto &[id, memory] : m_partials) {
        const Reduction &reduction = m_nest.reductions[id.value];
        const Scalar identity = identityOf(reduction.op, m_schedule.graph->node(reduction.node).dtype).castTo(reduction.dtype);
        for (const Point &point : points) {
            const InstructionId cleared = m_builder.constant(reduction.origin, identity, lanesOf(point));
            for (const StoredPart &part : storedParts(reduction.origin, cleared, point))
                m_builder.store(reduction.origin, memory, partialAt(part.point), part.value);
        }
    }
}

void KernelLowering::addToPartial(ReductionId id, InstructionId part, const Point &point)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const InstructionId memory = m_partials.at(id);
    for (const StoredPart &one : storedParts(reduction.origin, part, point)) {
        const InstructionId at = partialAt(one.point);
        const InstructionId before = m_builder.load(reduction.origin, memory, at, m_builder.at(one.value).lanes);
        m_builder.store(reduction.origin, memory, at, m_builder.alu(reduction.origin, reduction.op, {before, one.value}));
    }
}

// The steps that the blocks before this one have done.
InstructionId KernelLowering::stepsBefore(const Reduction &reduction)
{
    std::int64_t inner = 1; // for each index of the axis that is divided
    for (const AxisId axis : reduction.axes)
        if (axis != m_tiling.unsplit(m_blockLoop))
            inner *= m_nest.axes[axis.value].extent;
    IndexParts first;
    addAxis(reduction.origin, first, m_tiling.unsplit(m_blockLoop), inner, {});
    return scalarIndex(reduction.origin, first);
}

void KernelLowering::readPartials(const std::vector<Point> &points)
{
    for (const auto &[id, memory] : m_partials) {
        const ValueId result = m_reductionValues.at(id);
        const Origin &origin = m_nest.reductions[id.value].origin;
        for (const Point &point : points) {
            const InstructionId at = partialAt(point);
            m_scopes.back().cache[keyOf(result, point)] =
                missingOf(point) > 0 ? loadWhere(origin, memory, at, InstructionId(), m_nest.values[result.value], point)
                                     : m_builder.load(origin, memory, at, lanesOf(point));
        }
    }
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i)
        if (const auto &joined = m_nest.reductions[i].joined; joined && joined->rule == JoinRule::Rescaled)
            finishPowers(ReductionId(i), points);
}

// What the sums of powers are below an infinite maximum, which is known after the last block.
void KernelLowering::finishPowers(ReductionId id, const std::vector<Point> &points)
{
    const Reduction &sum = m_nest.reductions[id.value];
    auto &known = m_scopes.back().cache;
    for (const Point &point : points) {
        InstructionId &made = known.at(keyOf(m_reductionValues.at(id), point));
        const InstructionId largest = known.at(keyOf(m_reductionValues.at(sum.joined->leader), point));
        made = RescaledPowers(m_builder, sum.origin, sum.dtype).finished(made, largest, sum.joined->isFromFinite);
    }
}

} // namespace sw
