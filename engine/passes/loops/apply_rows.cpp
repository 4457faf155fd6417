// A register tile whose rows are copied: a loop over the rows of tiles makes a dense copy of what they read, and the panels of
// columns go past it, which are read as they lie in memory: all of them, or a group that stays in the core's own cache.

#include "engine/loops/queries.h"
#include "engine/passes/loops/contraction_lines.h"

#include <algorithm>

namespace sw {

namespace {

bool isMoved(const NestPlan &plan, ValueId load, AxisId leaf)
{
    return std::ranges::binary_search(plan.dependencies()[load.value], unsplitAxis(plan.nest(), leaf));
}

// More would be better for the threads, and a loop further inside makes copies twice.
constexpr std::int64_t kRoundsPerThread = 2;

} // namespace

void applyTileOfCopiedRows(NestPlan &plan, const TileChoice &choice, std::int64_t total)
{
    const std::string reason = tileReason(plan, choice);
    const AxisId columns = plan.tile(choice.vectorAxis, choice.lanes * choice.vectors, choice.lanes, reason);
    applyMask(plan, choice);
    applyWrittenOut(plan, choice);
    const AxisId rows = plan.tile(choice.rowAxis, choice.rows, 1, reason);
    NestPlan::Parts groups{AxisId(), columns};
    if (plan.extentOf(columns) > choice.panelsPerCopy)
        groups = plan.split(columns, choice.panelsPerCopy,
                            format("{} panels at a time stay in the core's cache", choice.panelsPerCopy));
    std::vector<AxisId> loops; // but that over the panels of a group
    std::vector<AxisId> tiles;
    for (const AxisId leaf : plan.nest().order) {
        if (isRepeated(plan.nest().axes[leaf.value].type))
            tiles.push_back(leaf);
        else if (leaf != groups.outer && leaf != groups.inner && leaf != rows)
            loops.push_back(leaf);
    }
    // A group of panels serves all loops that it does not move with, while it is in the cache.
    const auto inside = std::ranges::stable_partition(
        loops, [&](AxisId leaf) { return movesPanels(plan, choice, unsplitAxis(plan.nest(), leaf)); });
    if (groups.outer.isValid())
        loops.insert(inside.begin(), groups.outer);
    if (rows.isValid())
        loops.push_back(rows);
    std::ranges::stable_partition(tiles, [&](AxisId leaf) { return unsplitAxis(plan.nest(), leaf) != choice.vectorAxis; });
    const AxisId shared = plan.loopForThreads(loops, kRoundsPerThread);
    std::vector<AxisId> order = loops;
    order.push_back(groups.inner);
    order.insert(order.end(), tiles.begin(), tiles.end());
    plan.reorder(order, "a copy of a row of tiles serves all panels that stay in the core's cache");
    plan.distribute(shared, total);
    order = plan.nest().order;
    const auto share =
        std::ranges::find_if(order, [&](AxisId leaf) { return plan.nest().axes[leaf.value].type == AxisType::Thread; });
    if (share != order.begin() && share != order.end()) {
        std::rotate(order.begin(), share, share + 1);
        plan.reorder(order, "the longest loop outside, for the threads");
    }

    AxisId last = plan.nest().order.front();
    for (const AxisId leaf : plan.nest().order)
        if (!isRepeated(plan.nest().axes[leaf.value].type) && isMoved(plan, choice.copiedRows, leaf))
            last = leaf;
    std::vector<AxisId> axes = plan.nest().reductions.front().axes;
    axes.push_back(tileOf(plan, choice.rowAxis));
    plan.pack(choice.copiedRows, last, axes, kRowsCopied);
}

} // namespace sw
