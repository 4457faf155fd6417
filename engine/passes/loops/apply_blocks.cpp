// A register tile of a reduction in blocks, as in a library's matrix product: each block packs the panels of columns that a
// work item needs, unless they lie in panels already, and each row of tiles packs its rows; the partial results of the work item
// stay in its core's cache.

#include "engine/base/checked_size.h"
#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kFarRowBytes = 1024; // rows of such a distance fall on few sets of the first level of the
                                            // cache
constexpr const char *kFarRowsCopied = "read again for every panel of columns, by rows that lie far apart";

std::int64_t tilesOf(const NestPlan &plan, AxisId axis, std::int64_t tile)
{
    return plan.extentOf(axis) / tile;
}

// The axes along which neither the panels of columns nor the tiles of rows go: rows of an image, whose pixels are the rows of the
// tile. In a block they are loops around those tiles.
std::vector<AxisId> axesOfRows(const NestPlan &plan, const TileChoice &choice, ValueId panel)
{
    std::vector<AxisId> axes = plan.nest().domain;
    std::erase_if(axes, [&](AxisId axis) {
        return axis == choice.rowAxis || axis == choice.vectorAxis ||
               std::ranges::binary_search(plan.dependencies()[panel.value], axis);
    });
    return axes;
}

// How many tiles of the columns, and of the rows, a work item computes at a time.
struct Share {
    std::int64_t columns = 1;
    std::int64_t rows = 1;
};

// around: how often it does so, in loops around the rows.
Share shareOf(const NestPlan &plan, const TileChoice &choice, std::int64_t around)
{
    const std::int64_t width = choice.lanes * choice.vectors;
    const std::int64_t columns = tilesOf(plan, choice.vectorAxis, width);
    const std::int64_t rows = tilesOf(plan, choice.rowAxis, choice.rows);
    const auto threads = static_cast<std::int64_t>(plan.device().threads);
    const std::int64_t memory = std::min<std::int64_t>(plan.device().cacheBytesPerCore, plan.device().scratchBytes);
    const std::int64_t bytes = bytesOf(plan.nest().reductions.front().dtype);
    const std::vector<AxisId> &reduced = plan.nest().reductions.front().axes;
    const std::int64_t steps = choice.blockSteps * plan.elementsOf(reduced) / plan.extentOf(reduced.front());
    Share share;
    // A quarter of the memory for the panels, and half of it for the partial results: where the rows are divided, each work item
    // copies all panels again.
    const std::int64_t perPanel = std::max(steps * width * bytes, 2 * width * choice.rows * bytes * around);
    const std::int64_t mostPanels = std::max<std::int64_t>(memory / 4 / perPanel, 1);
    share.columns = std::min({columns, mostPanels, std::max<std::int64_t>((columns + threads - 1) / threads, 1)});
    const std::int64_t workItems = (columns + share.columns - 1) / share.columns;
    const std::int64_t mostRows = std::max<std::int64_t>(memory / 2 / (share.columns * width * choice.rows * bytes * around), 1);
    const std::int64_t wanted = workItems < threads ? (rows * workItems + threads - 1) / threads : rows;
    share.rows = std::min({rows, mostRows, std::max<std::int64_t>(wanted, 1)});
    // A divisor leaves no rest, which would be another copy of the body.
    const auto even = [](std::int64_t whole, std::int64_t part) {
        const std::int64_t divisor = largestDivisor(whole, part);
        return 2 * divisor >= part ? divisor : part;
    };
    share.columns = even(columns, share.columns);
    share.rows = even(rows, share.rows);
    return share;
}

// Where the rest of the split into tiles goes: a copy that the tiles of a share index does not hold it.
enum class Rest : std::uint8_t { Inside, Outside };

// The loop over the tiles of an axis, in shares: the loop over shares, for the threads, and the one in a share. One may be
// missing.
NestPlan::Parts sharedOut(NestPlan &plan, AxisId tiles, std::int64_t share, Rest rest, const std::string &reason)
{
    if (share >= plan.extentOf(tiles) && rest == Rest::Inside)
        return {AxisId(), tiles};
    NestPlan::Parts parts{tiles, AxisId()};
    if (share > 1)
        parts = plan.split(tiles, share, reason);
    plan.setType(parts.outer, AxisType::Thread, reason);
    return parts;
}

// The loads that move with the rows of the tile and not with its columns, where each row lies far from the next.
std::vector<ValueId> farRows(const NestPlan &plan, const TileChoice &choice)
{
    std::vector<ValueId> loads;
    for (const NestAccess &load : plan.loadsUnder(plan.nest().reductions.front().body)) {
        const bool isFar = plan.bytesApart(load, choice.rowAxis) >= kFarRowBytes;
        if (isFar && !load.isMasked && !plan.dependsOn(load, choice.vectorAxis))
            loads.push_back(load.load);
    }
    return loads;
}

// The load whose panels a block goes along: what is packed, or what lies in panels.
std::optional<ValueId> panelLoad(const NestPlan &plan, const TileChoice &choice)
{
    if (!choice.packed.empty())
        return choice.packed.size() == 1 ? std::optional(choice.packed.front()) : std::nullopt;
    for (const NestAccess &load : plan.loadsUnder(plan.nest().reductions.front().body))
        if (!load.isMasked && plan.strideIn(load, choice.vectorAxis) == 1 && !hasFarSteps(plan, load) &&
            readsNewVectors(plan, load))
            return load.load;
    return std::nullopt;
}

} // namespace

bool canBeInBlocks(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (plan.isStage() || leadersIn(nest) != 1 || nest.reductions.front().axes.empty())
        return false; // the shares of blocks are work items, and those of stages are runs of their rows
    return !plan.isStrict() || std::ranges::none_of(nest.reductions, [](const Reduction &reduction) {
        return roundsEachStep(reduction.op, reduction.dtype);
    });
}

bool canTileInBlocks(const NestPlan &plan, const TileChoice &choice)
{
    const std::optional<ValueId> panel = panelLoad(plan, choice);
    if (!choice.rowAxis.isValid() || choice.rows < 2 || !panel)
        return false;
    const auto movesPanel = [&](AxisId axis) { return std::ranges::binary_search(plan.dependencies()[panel->value], axis); };
    const std::vector<AxisId> around = axesOfRows(plan, choice, *panel);
    const std::int64_t fewestRows = plan.elementsOf(around) > 1 ? choice.rows + 1 : 2 * choice.rows;
    if (movesPanel(choice.rowAxis) || plan.extentOf(choice.rowAxis) < fewestRows ||
        plan.extentOf(choice.vectorAxis) < 2 * choice.lanes * choice.vectors)
        return false;
    const std::int64_t bytes = choice.lanes * choice.vectors * choice.rows * bytesOf(plan.nest().reductions.front().dtype);
    const CheckedSize results = CheckedSize(plan.elementsOf(around)) * bytes;
    return results <= std::min<std::int64_t>(plan.device().cacheBytesPerCore, plan.device().scratchBytes) / 4;
}

std::int64_t panelsPerCopyInBlocks(const NestPlan &plan, const TileChoice &choice)
{
    const std::optional<ValueId> panel = panelLoad(plan, choice);
    if (!panel)
        return 0;
    const Share share = shareOf(plan, choice, plan.elementsOf(axesOfRows(plan, choice, *panel)));
    const bool isOneTile = share.rows == 1 && tilesOf(plan, choice.rowAxis, choice.rows) > 1;
    return isOneTile ? 0 : share.columns;
}

void applyTileInBlocks(NestPlan &plan, const TileChoice &choice)
{
    const std::int64_t width = choice.lanes * choice.vectors;
    const std::optional<ValueId> panel = panelLoad(plan, choice);
    const std::vector<AxisId> around = panel ? axesOfRows(plan, choice, *panel) : std::vector<AxisId>();
    const Share share = shareOf(plan, choice, plan.elementsOf(around));
    std::vector<ValueId> rowsToPack = farRows(plan, choice);
    if (choice.copiedRows.isValid() && std::ranges::find(rowsToPack, choice.copiedRows) == rowsToPack.end())
        rowsToPack.push_back(choice.copiedRows);
    const std::string reason = tileReason(plan, choice);
    const std::string shareReason = format("a work item has {} x {} tiles: their partial results and panels "
                                           "stay in its cache",
                                           share.rows, share.columns);
    const AxisId columnTiles = plan.tile(choice.vectorAxis, width, choice.lanes, reason);
    applyMask(plan, choice);
    applyWrittenOut(plan, choice);
    const AxisId rowTiles = plan.tile(choice.rowAxis, choice.rows, 1, reason);
    const NestPlan::Parts columns = sharedOut(plan, columnTiles, share.columns, Rest::Outside, shareReason);
    const NestPlan::Parts rows = sharedOut(plan, rowTiles, share.rows, Rest::Inside, shareReason);

    const std::vector<AxisId> reduced = plan.nest().reductions.front().axes;
    const NestPlan::Parts blocks =
        plan.split(reduced.front(), choice.blockSteps,
                   format("{} steps at a time: all {} of a panel{} would not stay in the cache", choice.blockSteps,
                          plan.extentOf(reduced.front()), choice.fitsAlone ? " and of its rows" : ""));
    std::vector<AxisId> order;
    std::vector<AxisId> tiles;
    for (const AxisId leaf : plan.nest().order) {
        const AxisType type = plan.nest().axes[leaf.value].type;
        const bool isShare = leaf == columns.inner || leaf == rows.inner || std::ranges::find(around, leaf) != around.end();
        if (type == AxisType::Upcast || type == AxisType::Vector)
            tiles.push_back(leaf);
        else if (!isShare)
            order.push_back(leaf);
    }
    std::ranges::stable_partition(tiles, [&](AxisId leaf) { return unsplitAxis(plan.nest(), leaf) != choice.vectorAxis; });
    order.push_back(blocks.outer);
    // A copy of rows serves all panels of the work item; without, a panel serves all rows.
    if (!rows.inner.isValid())
        rowsToPack.clear();
    std::vector<AxisId> inBlock = around;
    inBlock.push_back(rows.inner);
    inBlock.insert(around.empty() || !rowsToPack.empty() ? inBlock.end() : inBlock.begin(), columns.inner);
    std::ranges::copy_if(inBlock, std::back_inserter(order), &AxisId::isValid);
    order.insert(order.end(), tiles.begin(), tiles.end());
    plan.reorder(order, "in blocks of the reduction: a block of a panel serves all the tiles of a work item");

    std::vector<AxisId> steps = reduced;
    steps.front() = blocks.inner;
    if (!choice.packed.empty()) {
        std::vector<AxisId> copy;
        if (columns.inner.isValid())
            copy.push_back(columns.inner);
        copy.insert(copy.end(), steps.begin(), steps.end());
        copy.push_back(tileOf(plan, choice.vectorAxis));
        plan.pack(choice.packed.front(), blocks.outer, copy, choice.packReason);
    }
    for (const ValueId load : rowsToPack) {
        std::vector<AxisId> copy = steps;
        copy.push_back(tileOf(plan, choice.rowAxis));
        plan.pack(load, rows.inner, copy, load == choice.copiedRows ? kRowsCopied : kFarRowsCopied);
    }
}

} // namespace sw
