#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/schedule/block_rows.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <span>

namespace sw {

namespace {

constexpr std::int64_t kItemsPerThread = 4;                // each makes the copies that all of its blocks read
constexpr std::int64_t kRowsOfTiles = 2 * kLeastBlockRows; // that matrices beside the rows are read for, where rows may be few

class StageChooser {
public:
    StageChooser(NestPlan &plan, const std::function<void(NestPlan &)> &choose)
        : m_plan(plan), m_choose(choose), m_untransformed(plan.nest()), m_operations(countOperations())
    {
    }

    void run()
    {
        const std::vector<AxisId> &domain = m_untransformed.domain;
        m_row = domain[m_untransformed.rowAxes - 1];
        const std::int64_t extent = m_plan.extentOf(m_row);
        const std::int64_t rowBytes = keptBytesOfRow();
        std::vector<NodeId> stages;
        for (const LoopNest &stage : m_untransformed.stages)
            stages.push_back(stage.stores.front().node);
        const BlockOf what = whatBlocksHave(*m_plan.schedule().graph, stages);
        CheckedSize all = 1;
        for (std::size_t i = 0; i < m_untransformed.rowAxes; ++i)
            all *= m_plan.extentOf(domain[i]);
        m_blockRows =
            std::max<std::int64_t>(blockRowsOf(m_plan.device(), rowBytes, extent, what, {1, rowsToShare(all.saturated())}), 1);
        if (m_blockRows > 1 && m_blockRows < extent)
            forAllStages([&](const std::string &stage) {
                m_plan.tryApply({.kind = TransformKind::Split,
                                 .axes = {stage + rowName()},
                                 .factor = m_blockRows,
                                 .reason = format("blocks of {} rows; the stages keep {} bytes for one", m_blockRows,
                                                  m_blockRows * rowBytes)});
            });
        distributeBlocks();
        m_outside = rowLoops();
        for (const LoopNest &stage : m_untransformed.stages)
            chooseInside(stage);
        chooseInside(m_untransformed);
    }

private:
    [[nodiscard]] std::string rowName() const { return m_plan.nameOf(m_row); }

    // Calls with what the names of the stage's axes begin with.
    void forAllStages(const std::function<void(const std::string &)> &visit) const
    {
        for (std::size_t i = 0; i < m_untransformed.stages.size(); ++i)
            visit(format("s{}_", i));
        visit("");
    }

    [[nodiscard]] std::int64_t keptBytesOfRow() const
    {
        const std::vector<std::size_t> memory = keptMemoryOf(m_untransformed);
        std::vector<std::int64_t> most(memory.size(), 0);
        for (std::size_t i = 0; i < memory.size(); ++i) {
            const LoopNest &stage = m_untransformed.stages[i];
            const CheckedSize bytes =
                CheckedSize(keptElementsOf(stage, stage.rowAxes)) * bytesOf(stage.values[stage.stores.front().value.value].dtype);
            most[memory[i]] = std::max(most[memory[i]], bytes.saturated());
        }
        CheckedSize all;
        for (const std::int64_t bytes : most)
            all += bytes;
        return all.saturated();
    }

    // How many rows the blocks are made for, so that all threads have some. A run of a dimension may have few of its rows.
    [[nodiscard]] double rowsToShare(std::int64_t rows) const
    {
        if (!isOpen(m_untransformed, m_row))
            return static_cast<double>(rows);
        bool hasTiles = false;
        forEachStage(m_untransformed, [&](const LoopNest &stage) {
            hasTiles = hasTiles || isContraction(NestPlan(m_plan.schedule(), stage, m_plan.context()));
        });
        const std::int64_t perRow = std::max<std::int64_t>(m_operations / std::max<std::int64_t>(rows, 1), 1);
        const std::int64_t ofTurn = std::max(NestPlan::kOperationsPerTurn / perRow, hasTiles ? kRowsOfTiles : 1);
        return std::min(static_cast<double>(rows), fewestBlocks(m_plan.device()) * static_cast<double>(ofTurn));
    }

    // The loops over rows that stand outside of the block.
    [[nodiscard]] std::vector<std::string> rowLoops() const
    {
        std::vector<std::string> names;
        for (const AxisId leaf : m_plan.nest().order) {
            const AxisId whole = unsplitAxis(m_plan.nest(), leaf);
            const auto rows = std::span(m_plan.nest().domain).first(m_plan.nest().rowAxes);
            const bool isInBlock = m_blockRows > 1 && m_plan.nameOf(leaf) == blockName();
            if (std::ranges::find(rows, whole) != rows.end() && !isInBlock)
                names.push_back(m_plan.nameOf(leaf));
        }
        return names;
    }

    // The rows of a block, in the kernel's own nest.
    [[nodiscard]] std::string blockName() const { return m_blockRows < m_plan.extentOf(m_row) ? rowName() + ".i" : rowName(); }

    void applyToAll(const std::function<Transform(const std::string &)> &make)
    {
        forAllStages([&](const std::string &stage) {
            const bool isApplied = m_plan.tryApply(make(stage));
            SW_ASSERT(isApplied, "the rows of all stages are alike");
        });
    }

    // Of the points of all stages, and the steps of their reductions.
    [[nodiscard]] std::int64_t countOperations() const
    {
        CheckedSize all;
        forEachStage(m_untransformed, [&](const LoopNest &stage) {
            const NestPlan plan(m_plan.schedule(), stage, m_plan.context());
            all += CheckedSize(plan.operationsPerPoint()) * plan.elementsOf(stage.domain);
            for (std::size_t id = 0; id < stage.values.size(); ++id) {
                if (stage.values[id].kind != ValueKind::Reduction)
                    continue;
                const Reduction &reduction = stage.reductions[stage.values[id].reduction.value];
                all += CheckedSize(plan.operationsUnder(reduction.body) + 1) * plan.elementsOf(reduction.axes) *
                       plan.elementsOf(plan.dependencies()[id]);
            }
        });
        return all.saturated();
    }

    // The longest loop over rows is shared out among work items: as a whole, if there are enough rounds for the threads, else in
    // runs of blocks.
    void distributeBlocks()
    {
        std::vector<std::string> loops = rowLoops();
        const std::int64_t threads = m_plan.device().threads;
        if (loops.empty())
            return;
        const auto extentOf = [&](const std::string &name) { return m_plan.extentOf(*axisNamed(m_plan.nest(), name)); };
        std::string threaded = loops.front();
        for (const std::string &loop : loops)
            if (extentOf(threaded) < 2 * threads && extentOf(loop) > extentOf(threaded))
                threaded = loop;
        const std::int64_t items = std::min(kItemsPerThread * threads, NestPlan::itemsFor(m_operations));
        if (items == 1)
            return;
        if (const AxisId row = unsplitAxis(m_plan.nest(), *axisNamed(m_plan.nest(), threaded)); isOpen(m_plan.nest(), row)) {
            takeTurns(threaded, items);
            return;
        }
        const std::int64_t run = (extentOf(threaded) + items - 1) / items;
        const std::string reason = format("{} of its rounds to a work item, for {} threads", run, threads);
        if (run > 1) {
            applyToAll([&](const std::string &stage) {
                return Transform{.kind = TransformKind::Split, .axes = {stage + threaded}, .factor = run, .reason = reason};
            });
            threaded += ".o";
        }
        shareInFront(threaded, reason);
        // Where it has too few rounds, other loops are work items, too.
        std::erase_if(loops, [&](const std::string &loop) { return threaded == loop || threaded == loop + ".o"; });
        std::ranges::stable_sort(loops, std::ranges::greater(), extentOf);
        std::int64_t rounds = extentOf(threaded);
        for (const std::string &loop : loops | std::views::take(kMostItemAxes - 1)) {
            if (rounds >= std::min(threads, items) ||
                isOpen(m_plan.nest(), unsplitAxis(m_plan.nest(), *axisNamed(m_plan.nest(), loop))))
                break;
            rounds *= extentOf(loop);
            shareInFront(loop, format("{} work items with those of {}, for {} threads", rounds, threaded, threads));
        }
    }

    // Makes the loop one of work items, outside of all others.
    void shareInFront(const std::string &loop, const std::string &reason)
    {
        if (m_plan.nameOf(m_plan.nest().order.front()) != loop)
            applyToAll([&](const std::string &stage) { return frontOf(stage, loop, "the loop that the threads share outside"); });
        applyToAll([&](const std::string &stage) {
            return Transform{.kind = TransformKind::SetType, .axes = {stage + loop}, .type = AxisType::Thread, .reason = reason};
        });
    }

    static bool isOpen(const LoopNest &nest, AxisId axis) { return nest.axes[axis.value].end.isValid(); }

    // The rows of a run may be few, so the work items take turns of their blocks.
    void takeTurns(std::string loop, std::int64_t items)
    {
        const auto extent = [&] { return m_plan.extentOf(*axisNamed(m_plan.nest(), loop)); };
        const auto split = [&](std::int64_t factor, const std::string &reason) {
            applyToAll([&](const std::string &stage) {
                return Transform{.kind = TransformKind::Split, .axes = {stage + loop}, .factor = factor, .reason = reason};
            });
        };
        const NestPlan::Turns turns = NestPlan::turnsOf(extent(), m_operations, items);
        if (turns.turn > 1) {
            split(turns.turn, m_plan.turnReason(m_operations));
            loop += ".o";
        }
        if (turns.items < extent()) {
            split(turns.items, m_plan.itemsReason(m_operations, turns.items));
            loop += ".i";
        }
        if (m_plan.nameOf(m_plan.nest().order.front()) != loop)
            applyToAll([&](const std::string &stage) { return frontOf(stage, loop, "the turns of a work item inside of it"); });
        applyToAll([&](const std::string &stage) {
            return Transform{.kind = TransformKind::SetType,
                             .axes = {stage + loop},
                             .type = AxisType::Thread,
                             .reason = m_plan.operationsText(m_operations)};
        });
    }

    [[nodiscard]] const LoopNest &nestOf(const std::string &stage) const
    {
        for (const LoopNest &one : m_plan.nest().stages)
            if (!stage.empty() && one.axes.front().name.starts_with(stage))
                return one;
        return m_plan.nest();
    }

    [[nodiscard]] Transform frontOf(const std::string &stage, const std::string &first, const std::string &reason) const
    {
        const LoopNest &nest = nestOf(stage);
        Transform made{.kind = TransformKind::Reorder, .axes = {stage + first}, .reason = reason};
        for (const AxisId leaf : nest.order)
            if (nest.axes[leaf.value].name != stage + first)
                made.axes.push_back(nest.axes[leaf.value].name);
        return made;
    }

    [[nodiscard]] std::int64_t roundsOfThread() const
    {
        const std::vector<AxisId> rows(m_untransformed.domain.begin(),
                                       m_untransformed.domain.begin() + static_cast<std::ptrdiff_t>(m_untransformed.rowAxes));
        return std::max<std::int64_t>(m_plan.elementsOf(rows) / m_blockRows / m_plan.device().threads, 1);
    }

    // The stage as a kernel of one block: the rows outside of the block are no loops of it.
    [[nodiscard]] LoopNest blockOf(const LoopNest &stage) const
    {
        LoopNest block = stage;
        block.stages.clear();
        block.transforms.clear(); // the axes were merged before
        block.rowAxes = 0;
        const AxisId row = stage.domain[stage.rowAxes - 1];
        const std::size_t outside = m_blockRows > 1 ? stage.rowAxes - 1 : stage.rowAxes;
        for (std::size_t i = 0; i < outside; ++i)
            std::erase(block.order, stage.domain[i]);
        block.domain.erase(block.domain.begin(), block.domain.begin() + static_cast<std::ptrdiff_t>(outside));
        if (m_blockRows > 1)
            block.axes[row.value].extent = std::min(m_blockRows, stage.axes[row.value].extent);
        for (std::size_t i = 0; i < stage.rowAxes; ++i)
            block.axes[stage.domain[i].value].end = ValueId(); // all blocks but one have all of their rows
        return block;
    }

    void chooseInside(const LoopNest &stage)
    {
        const AxisId rowAxis = stage.domain[stage.rowAxes - 1];
        const std::string row = stage.axes[rowAxis.value].name;
        const auto isOpenRow = [&](AxisId row) { return isOpen(stage, row); };
        NestPlan block(m_plan.schedule(), blockOf(stage), m_plan.context(),
                       NestPlan::Block{.rounds = roundsOfThread(),
                                       .row = m_blockRows > 1 ? rowAxis : AxisId(),
                                       .mayBeFew = std::ranges::any_of(std::span(stage.domain).first(stage.rowAxes), isOpenRow)});
        m_choose(block);
        const std::string prefix = &stage == &m_untransformed ? "" : row.substr(0, row.find('_') + 1);
        for (const Transform &chosen : block.nest().transforms)
            applyInside(chosen, prefix, row);
    }

    // The transformation of the block, with the names that the axes have in the kernel.
    void applyInside(Transform transform, const std::string &prefix, const std::string &row)
    {
        const bool isSplit = m_blockRows > 1 && m_blockRows < m_plan.extentOf(m_row);
        for (std::string &name : transform.axes)
            if (isSplit && (name == row || name.starts_with(row + ".")))
                name = row + ".i" + name.substr(row.size());
        const LoopNest &nest = nestOf(prefix);
        const auto isOfDomain = [&](const std::string &name) {
            const std::optional<AxisId> axis = axisNamed(nest, name);
            return axis && !nest.axes[axis->value].isReduce;
        };
        if (transform.kind == TransformKind::Reorder && std::ranges::any_of(transform.axes, isOfDomain)) {
            std::vector<std::string> outside = m_outside;
            for (std::string &name : outside)
                name.insert(0, prefix);
            transform.axes.insert(transform.axes.begin(), outside.begin(), outside.end());
        }
        if (transform.kind == TransformKind::Pack) {
            applyPack(transform, nest);
            return;
        }
        const bool isApplied = m_plan.tryApply(transform);
        SW_ASSERT(isApplied, "what is done to a block is done to its rows: " + toText(transform));
    }

    // A copy of what does not move with the rows serves all blocks, if there is room for all of it; else each block makes its
    // own. It is indexed by the loops between the two places as well, or, where those leave the rest of a split out, by whole
    // axes.
    void applyPack(const Transform &chosen, const LoopNest &nest)
    {
        const std::vector<AxisId> moving = valueDependencies(nest)[chosen.value.value];
        const auto moves = [&](AxisId leaf) { return std::ranges::binary_search(moving, unsplitAxis(nest, leaf)); };
        const std::size_t outside = sharedLoopsOf(m_plan.nest());
        const bool isOfRow = moves(nest.domain[nest.rowAxes - 1]);
        const bool isOfStage = !nest.values[chosen.value.value].buffer.isValid();
        if (outside > 0 && !isOfRow && !isOfStage) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < outside; ++i)
                at = moves(nest.order[i]) ? i : at;
            Transform shared = chosen;
            shared.reason = "read again for every row of all blocks, and far apart in memory";
            const std::vector<std::string> inBlock(chosen.axes.begin() + 1, chosen.axes.end());
            std::vector<std::string> between;
            std::vector<std::string> wholes;
            for (std::size_t i = at + 1; i < nest.order.size(); ++i) {
                const Axis &leaf = nest.axes[nest.order[i].value];
                if (!moves(nest.order[i]) || isRepeated(leaf.type))
                    continue;
                between.push_back(leaf.name);
                wholes.push_back(nest.axes[unsplitAxis(nest, nest.order[i]).value].name);
            }
            const std::string place = nest.axes[nest.order[at].value].name;
            shared.axes = {place};
            shared.axes.insert(shared.axes.end(), between.begin(), between.end());
            shared.axes.insert(shared.axes.end(), inBlock.begin(), inBlock.end());
            if (fitsAll(shared, nest) && m_plan.tryApply(shared))
                return;
            shared.axes = {place};
            for (const std::string &name : inBlock)
                if (std::ranges::none_of(wholes, [&](const std::string &whole) { return name.starts_with(whole + "."); }))
                    shared.axes.push_back(name);
            shared.axes.insert(shared.axes.end(), wholes.begin(), wholes.end());
            if (fitsAll(shared, nest) && m_plan.tryApply(shared))
                return;
        }
        // One that moves with the rows alone is made once for a block, and not in each round of a loop that it stands still in.
        const std::optional<AxisId> at = axisNamed(nest, chosen.axes.front());
        if (outside > 0 && isOfRow && !isOfStage && at && !moves(*at)) {
            Transform forBlock = chosen;
            forBlock.axes.front() = nest.axes[nest.order[outside - 1].value].name;
            if (m_plan.tryApply(forBlock))
                return;
        }
        m_plan.tryApply(chosen); // without a copy the stage is slower, and right
    }

    [[nodiscard]] bool fitsAll(const Transform &pack, const LoopNest &nest) const
    {
        CheckedSize bytes = bytesOf(nest.values[pack.value.value].dtype);
        for (std::size_t i = 1; i < pack.axes.size(); ++i)
            bytes *= nest.axes[axisNamed(nest, pack.axes[i])->value].extent;
        return bytes <= m_plan.device().scratchBytes / 4;
    }

    NestPlan &m_plan;
    const std::function<void(NestPlan &)> &m_choose;
    const LoopNest m_untransformed;
    const std::int64_t m_operations;
    AxisId m_row;
    std::vector<std::string> m_outside; // the loops over rows around a block, in the kernel's own nest
    std::int64_t m_blockRows = 1;
};

} // namespace

void chooseForStages(NestPlan &plan, const std::function<void(NestPlan &)> &chooseStage)
{
    if (plan.nest().rowAxes > 0)
        StageChooser(plan, chooseStage).run();
}

} // namespace sw
