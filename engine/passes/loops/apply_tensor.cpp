// How a nest gets the tiles of a tensor instruction. A panel of columns is copied in the order in which the instruction reads it,
// and serves all the rows.

#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/tensor_factors.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

class TensorPlan {
public:
    TensorPlan(NestPlan &plan, const TensorChoice &choice, std::string reason)
        : m_plan(plan), m_choice(choice), m_info(infoOf(choice.instruction)), m_reason(std::move(reason))
    {
    }

    void apply(std::int64_t total)
    {
        m_columns = m_plan.tile(m_choice.columns, m_info.columns * m_choice.vectors, m_info.columns, m_reason);
        m_rows = m_choice.tileRows > 1 ? m_plan.tile(m_choice.rows, m_choice.tileRows, 1, m_reason) : m_choice.rows;
        splitSteps();
        if (m_choice.isByRows)
            byRows(total);
        else if (hasTileRegisters(m_info))
            inShares();
        else
            inPanels(total);
        m_plan.tensorize(m_plan.nest().reductions.front().axes.back(), m_reason, m_choice.instruction);
    }

private:
    // Into the steps of a tile, in groups that lie interleaved.
    void splitSteps()
    {
        AxisId tile = m_plan.nest().reductions.front().axes.back();
        if (m_plan.extentOf(tile) > m_choice.depth)
            tile = m_plan.split(tile, m_choice.depth, format("{} steps at once", m_choice.depth)).inner;
        const std::int64_t group = depthGroupOf(m_info.b, m_info.sum);
        if (m_choice.depth > group) {
            const NestPlan::Parts parts = m_plan.split(tile, group, format("{} steps lie side by side in a tile", group));
            m_plan.setType(parts.outer, AxisType::Unroll, m_reason);
            tile = parts.inner;
        }
        m_plan.setType(tile, AxisType::Unroll, m_reason);
    }

    // The leaves of the domain that are loops, without those over the rows and the columns.
    [[nodiscard]] std::vector<AxisId> otherLoops() const
    {
        std::vector<AxisId> loops;
        for (const AxisId leaf : m_plan.nest().order)
            if (const AxisId whole = unsplitAxis(m_plan.nest(), leaf); whole != m_choice.columns && whole != m_choice.rows)
                loops.push_back(leaf);
        return loops;
    }

    void reorder(std::vector<AxisId> loops, const std::string &reason)
    {
        std::erase_if(loops, [](AxisId loop) { return !loop.isValid(); });
        for (const AxisId whole : {m_choice.rows, m_choice.columns})
            for (const AxisId leaf : leavesOf(m_plan.nest(), whole))
                if (isRepeated(m_plan.nest().axes[leaf.value].type))
                    loops.push_back(leaf);
        m_plan.reorder(loops, reason);
    }

    // The innermost loop that moves the load, or else the outermost one.
    [[nodiscard]] AxisId loopOf(ValueId load) const
    {
        AxisId at = m_plan.nest().order.front();
        for (const AxisId leaf : m_plan.nest().order)
            if (!isRepeated(m_plan.nest().axes[leaf.value].type) &&
                std::ranges::binary_search(m_plan.dependencies()[load.value], unsplitAxis(m_plan.nest(), leaf)))
                at = leaf;
        return at;
    }

    // In vectors of sums. The panels are shared out among the threads, or the rows where there are few panels.
    void inPanels(std::int64_t total)
    {
        const std::string once = "one copied panel serves all the rows";
        std::vector<AxisId> others = otherLoops();
        const auto threads = static_cast<std::int64_t>(m_plan.device().threads);
        const auto with = [&](std::vector<AxisId> more) {
            std::vector<AxisId> loops = others;
            loops.insert(loops.end(), more.begin(), more.end());
            return loops;
        };
        reorder(with({m_columns, m_rows}), once);
        const auto isWorth = [&](AxisId loop) { return loop.isValid() && m_plan.extentOf(loop) >= threads; };
        if (!others.empty() && isWorth(others.front())) {
            m_plan.distribute(others.front(), total);
        } else if (isWorth(m_columns) || !isWorth(m_rows)) {
            if (m_columns.isValid() && others.empty())
                m_plan.distribute(m_columns, total);
        } else {
            std::vector<AxisId> loops = others;
            loops.insert(loops.begin(), m_rows);
            loops.push_back(m_columns);
            reorder(loops, "the longest loop outside, for the threads");
            shareRows(total);
        }
        if (m_choice.isInOrder)
            return;
        copyColumns(loopOf(m_choice.b), {});
    }

    // A work item's rows go inside of the panels.
    void shareRows(std::int64_t total)
    {
        m_plan.distribute(m_rows, total);
        std::vector<AxisId> order = m_plan.nest().order;
        const auto isOwn = [&](AxisId leaf) { return m_plan.nest().axes[leaf.value].source == m_rows; };
        const auto own = std::ranges::find_if(
            order, [&](AxisId leaf) { return isOwn(leaf) && m_plan.nest().axes[leaf.value].type == AxisType::Loop; });
        if (own == order.end())
            return;
        const auto firstTile =
            std::ranges::find_if(order, [&](AxisId leaf) { return isRepeated(m_plan.nest().axes[leaf.value].type); });
        std::rotate(own, own + 1, firstTile);
        m_plan.reorder(order, "one copied panel serves all the rows of a work item");
    }

    // In tile registers, of columns that lie in tiles. The work items share the rows, outermost those that are no part of a tile.
    void byRows(std::int64_t total)
    {
        std::vector<AxisId> loops = otherLoops();
        if (m_choice.isByPanel && m_columns.isValid()) {
            loops.insert(loops.begin(), m_columns);
            loops.push_back(m_rows);
            reorder(loops, "a panel of columns, which lie in tiles, stays in the cache for all rows");
        } else {
            loops.push_back(m_rows);
            loops.push_back(m_columns);
            reorder(loops, "each work item goes through all columns, which lie in tiles");
        }
        m_plan.distribute(loops.front(), total);
        m_plan.pack(m_choice.a, loopOf(m_choice.a), copyOfRows(m_plan.nest(), m_choice.rows, {}),
                    "read again for every panel of columns, tile by tile");
    }

    // In tile registers. A work item copies its share of the columns once, unless they lie in tiles, and each panel of rows
    // before all the columns.
    void inShares()
    {
        const std::string reason = format("a work item {} {} panels of columns: they stay in its cache",
                                          m_choice.isInOrder ? "reads" : "copies", m_choice.share);
        NestPlan::Parts columns{m_columns, AxisId()};
        if (m_choice.share > 1)
            columns = m_plan.split(m_columns, m_choice.share, reason);
        m_plan.setType(columns.outer, AxisType::Thread, reason);
        std::vector<AxisId> loops = otherLoops();
        for (const AxisId loop : {columns.outer, m_rows, columns.inner})
            loops.push_back(loop);
        reorder(loops, "copies outside of what reads them");
        if (!m_choice.isInOrder)
            copyColumns(columns.outer, columns.inner.isValid() ? std::vector{columns.inner} : std::vector<AxisId>{});
        m_plan.pack(m_choice.a, m_rows, copyOfRows(m_plan.nest(), m_choice.rows, {}),
                    "read again for every panel of columns, tile by tile");
    }

    // loops: over the panels inside of `at`.
    void copyColumns(AxisId at, std::vector<AxisId> loops)
    {
        m_plan.pack(m_choice.b, at, copyOfColumns(m_plan.nest(), m_choice.columns, m_info, std::move(loops)),
                    "read again for every row, in the order of the instruction");
    }

    NestPlan &m_plan;
    const TensorChoice &m_choice;
    const TensorInstructionInfo &m_info;
    std::string m_reason;
    AxisId m_columns; // the loop over panels; invalid: there is one
    AxisId m_rows;
};

} // namespace

void applyTensorTile(NestPlan &plan, const TensorChoice &choice, double otherwise, std::int64_t total)
{
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    const std::string reason =
        format("{} x {} sums by {}, {} x {} x {} each ({}); about {:.0f} thousand cycles, {:.0f} thousand without",
               choice.tileRows, choice.vectors * info.columns, info.name, std::min(info.rows, choice.tileRows), info.columns,
               choice.depth, info.mnemonic, choice.cycles / 1000, otherwise / 1000);
    TensorPlan(plan, choice, reason).apply(total);
}

} // namespace sw
