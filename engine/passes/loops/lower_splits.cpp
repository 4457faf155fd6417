// The main parts and the rests of splits: which loop decides them, and who does them.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

// The loops of the domain are open when those of a reduction are opened.
void KernelLowering::findFirstLeaves()
{
    m_firstLeaves.resize(m_nest.axes.size());
    const auto look = [&](const std::vector<AxisId> &order) {
        for (const AxisId leaf : m_tiling.loopsOf(order))
            for (AxisId axis = leaf; axis.isValid(); axis = m_nest.axes[axis.value].source)
                if (!m_firstLeaves[axis.value].isValid())
                    m_firstLeaves[axis.value] = leaf;
    };
    look(m_nest.order);
    for (const Reduction &reduction : m_nest.reductions)
        look(reduction.order);
}

// The splits whose rests are decided where the leaf's loop is opened, innermost first: all other loops of the split axis stand
// inside of it.
std::vector<AxisId> KernelLowering::splitsAt(AxisId leaf) const
{
    std::vector<AxisId> splits;
    for (AxisId axis = m_nest.axes[leaf.value].source; axis.isValid(); axis = m_nest.axes[axis.value].source)
        if (m_firstLeaves[axis.value] == leaf)
            splits.push_back(axis);
    return splits;
}

// The number of work items of a leaf, rounded up to whole groups.
std::int64_t KernelLowering::launched(AxisId leaf) const
{
    const std::vector<AxisId> splits = splitsAt(leaf);
    std::int64_t tasks = 1;
    for (const std::int64_t extent : m_tiling.extentsOf(splits.empty() ? leaf : splits.back()))
        tasks = std::max(tasks, tasksOf(splits, splits.size(), extent, leaf));
    const std::int64_t group = m_nest.axes[leaf.value].group;
    return (tasks + group - 1) / group * group;
}

// The number of work items of a leaf when the outermost of the first `count` splits has so many indices. The rest of a split is
// one more work item where the leaf is of the outer part; else the items of the main part do the rest too.
std::int64_t KernelLowering::tasksOf(const std::vector<AxisId> &splits, std::size_t count, std::int64_t extent, AxisId leaf) const
{
    if (count == 0)
        return extent;
    const SplitParts parts = *m_tiling.partsOf(splits[count - 1]);
    const std::int64_t factor = m_nest.axes[parts.outer.value].factor;
    if (m_tiling.isPartOf(leaf, parts.outer))
        return tasksOf(splits, count - 1, extent / factor, leaf) + (extent % factor != 0 ? 1 : 0);
    return std::max(tasksOf(splits, count - 1, extent >= factor ? factor : 0, leaf),
                    tasksOf(splits, count - 1, extent % factor, leaf));
}

// The main part and the rest of the outermost of the first `count` splits, with those inside of it. The work items of the leaf
// are counted from `task` on; returns the number after the last one.
std::int64_t KernelLowering::emitSplits(const LeafLoops &loops, std::size_t count, std::int64_t task)
{
    if (count == 0) {
        const std::int64_t indices = m_extents[loops.leaf.value];
        if (indices > 0)
            emitMain(loops.leaf, task, loops.body);
        return task + indices;
    }
    const AxisId split = loops.splits[count - 1];
    const SplitParts parts = *m_tiling.partsOf(split);
    const std::int64_t factor = m_nest.axes[parts.outer.value].factor;
    const std::vector<std::int64_t> saved = m_extents;
    std::int64_t end = task;
    if (saved[split.value] >= factor) {
        m_extents[parts.outer.value] = saved[split.value] / factor;
        m_extents[parts.inner.value] = factor;
        end = emitSplits(loops, count - 1, task);
        m_extents = saved;
    }
    if (saved[split.value] % factor != 0) {
        const bool isOwnTask = m_tiling.isPartOf(loops.leaf, parts.outer);
        end = std::max(end, emitRest(loops, count, isOwnTask ? end : task));
        m_extents = saved;
    }
    return end;
}

// In a rest the outer part stays at its end and the inner part has fewer indices.
std::int64_t KernelLowering::emitRest(const LeafLoops &loops, std::size_t count, std::int64_t task)
{
    const AxisId split = loops.splits[count - 1];
    const SplitParts parts = *m_tiling.partsOf(split);
    const std::int64_t factor = m_nest.axes[parts.outer.value].factor;
    const std::int64_t extent = m_extents[split.value];
    const std::vector<char> wereFixed = m_isFixed;
    m_extents[parts.inner.value] = extent % factor;
    for (std::size_t axis = parts.outer.value; axis < m_nest.axes.size(); ++axis) {
        if (!m_tiling.isPartOf(AxisId(axis), parts.outer))
            continue;
        m_isFixed[axis] = 1;
        m_extents[axis] = 1;
    }
    std::vector<IndexTerm> &terms = m_axes[m_tiling.unsplit(split).value];
    terms.push_back({InstructionId(), extent / factor * factor * m_tiling.strideOf(split), split});
    const Origin &origin = m_nest.axes[loops.leaf.value].origin;
    m_builder.beginBlock(origin, format("rest of {}: {} of {}", m_nest.axes[split.value].name, extent % factor, extent));
    std::int64_t end = task + 1;
    const bool isConditional = beginBeforeEnd(loops.leaf);
    withScope([&] {
        if (m_isFixed[loops.leaf.value] != 0)
            emitFixed(loops.leaf, task, loops.body);
        else
            end = emitSplits(loops, count - 1, task);
    });
    if (isConditional)
        m_builder.endIf(origin);
    m_builder.endBlock(origin);
    terms.pop_back();
    m_isFixed = wereFixed;
    return end;
}

// A loop that has one index in a rest. One work item does it, and one item of a group if each adds to its own part of a sum.
void KernelLowering::emitFixed(AxisId leaf, std::int64_t task, const std::function<void()> &body)
{
    const Axis &axis = m_nest.axes[leaf.value];
    const auto inside = [&] {
        emitPacksAt(leaf);
        body();
    };
    if (m_workItemDimensions.contains(leaf)) {
        openWorkItems(leaf, task, 1, [&](InstructionId) { inside(); });
        return;
    }
    if (!axis.isReduce || axis.type != AxisType::Local || m_groupItems <= 1) {
        withScope(inside);
        return;
    }
    m_builder.beginIf(axis.origin, m_builder.alu(axis.origin, Op::Cmpeq, {m_groupItem, m_builder.index(axis.origin, 0)}));
    withScope(inside);
    m_builder.endIf(axis.origin);
}

} // namespace sw
