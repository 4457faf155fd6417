// Reductions whose result some tiles do not need: a causal mask hides the scores above the diagonal, and their products are not
// computed.

#include "engine/loops/needed_where.h"
#include "engine/passes/loops/kernel_lowering.h"

namespace sw {

namespace {

constexpr std::int64_t kLeastSteps = 8; // of fewer, asking takes as long as doing them

}

// Opens a condition that holds if any point of the tile needs the reduction's steps, where the open loops stand; false: all do,
// or it cannot be asked. Where work items wait for each other, all of them go on.
bool KernelLowering::beginWhereNeeded(ReductionId id)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    std::int64_t steps = 1;
    for (const AxisId leaf : m_tiling.loopsOf(reduction.order))
        steps *= m_extents[leaf.value];
    if (steps < kLeastSteps || m_blockPhase != BlockPhase::None || m_groupItems > 1 || !m_groupLeaves.empty())
        return false;
    const Origin &origin = reduction.origin;
    InstructionId all;
    for (const NeededCondition &needed : neededWhere(m_nest, id)) {
        IndexParts least{.base = {}, .constant = needed.least.constant};
        for (const auto &[factor, part] : needed.least.terms) {
            const AxisId axis = m_nest.arena.at(part).axis;
            addAxis(origin, least, axis, factor, {});
            if (const AxisId tile = m_tiling.tileOf(axis); tile.isValid() && factor < 0)
                least.constant += factor * (m_extents[tile.value] - 1) * m_tiling.strideOf(tile);
        }
        if (!least.base.isValid())
            continue; // it is the same for all tiles
        const InstructionId mayBeSo = m_builder.alu(origin, Op::Cmple, {least.base, m_builder.index(origin, -least.constant)});
        all = all.isValid() ? m_builder.alu(origin, Op::And, {all, mayBeSo}) : mayBeSo;
    }
    if (!all.isValid())
        return false;
    m_builder.beginIf(origin, all);
    return true;
}

} // namespace sw
