// Products on a GPU: each group of work items computes a tile of the sums. It copies what the tile needs of both factors into its
// own memory, block by block, and each item has some rows and columns of the tile in registers.

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/gpu_tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kFewestItems = 32;     // fewer leave lanes of a unit empty
constexpr std::int64_t kMostFactor = 1 << 12; // by which padding and bytes make a figure larger than the products are many
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 5> kOwnTiles{{{8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}}};
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 4> kGroupGrids{{{16, 16}, {8, 16}, {8, 8}, {4, 8}}};
constexpr std::array<std::int64_t, 3> kBlockSteps{8, 16, 32};

std::int64_t ceilPowerOfTwo(std::int64_t value)
{
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

std::int64_t roundedUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

std::optional<GpuProductAxes> productAxesOf(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (nest.reductions.size() != 1 || !isContraction(plan) || nest.rowAxes > 0)
        return std::nullopt;
    const Reduction &reduction = nest.reductions.front();
    const Value &body = nest.values[reduction.body.value];
    if (reduction.op != Op::Add || body.kind != ValueKind::Alu || body.op != Op::Mul || reduction.axes.empty())
        return std::nullopt;
    // The items of a group wait for each other, so none of them can stop where a run says.
    if (std::ranges::any_of(nest.axes, [](const Axis &axis) { return axis.end.isValid(); }))
        return std::nullopt;
    const std::optional<TileAxes> innermost = tileAxes(nest, plan.dependencies());
    if (!innermost)
        return std::nullopt;
    const auto moves = [&](std::size_t factor, AxisId axis) {
        return std::ranges::binary_search(plan.dependencies()[body.operands.at(factor).value], axis);
    };
    GpuProductAxes axes;
    for (auto axis = nest.domain.rbegin(); axis != nest.domain.rend(); ++axis) {
        const bool isOfColumns = moves(innermost->columnFactor, *axis);
        const bool isOfRows = moves(1 - innermost->columnFactor, *axis);
        if (isOfColumns && !isOfRows && axes.columns.size() < 2)
            axes.columns.push_back(*axis);
        else if (isOfRows && !isOfColumns && axes.rows.empty())
            axes.rows.push_back(*axis);
        else
            axes.others.insert(axes.others.begin(), *axis);
    }
    return axes;
}

// All ways to make a side of so many indices from the axes, the innermost of which has a multiple of `own`; those with the
// longest innermost part first. Where the axes are shorter, the side is.
std::vector<GpuTileSide> sidesOf(const NestPlan &plan, const std::vector<AxisId> &axes, std::int64_t size, std::int64_t own)
{
    std::vector<GpuTileSide> sides;
    const std::int64_t longest = std::min(size, ceilPowerOfTwo(plan.extentOf(axes[0])));
    for (std::int64_t inner = longest; inner >= own; inner /= 2) {
        GpuTileSide side{{axes[0], inner}};
        if (axes.size() > 1 && inner < size)
            side.push_back({axes[1], std::min(size / inner, ceilPowerOfTwo(plan.extentOf(axes[1])))});
        if (side.size() == 2 && side.back().extent == 1)
            side.pop_back();
        sides.push_back(std::move(side));
        if (axes.size() == 1)
            break; // a shorter part alone makes a smaller tile
    }
    return sides;
}

std::int64_t sizeOf(const GpuTileSide &side)
{
    std::int64_t size = 1;
    for (const GpuTilePart &part : side)
        size *= part.extent;
    return size;
}

// The indices along the axes when those of the side are padded for its parts.
std::int64_t paddedIndices(const NestPlan &plan, const std::vector<AxisId> &axes, const GpuTileSide &side)
{
    std::int64_t indices = 1;
    for (std::size_t i = 0; i < axes.size(); ++i)
        indices *= i < side.size() ? roundedUp(plan.extentOf(axes[i]), side[i].extent) : plan.extentOf(axes[i]);
    return indices;
}

// A block has about so many steps: the innermost axes as a whole, and a part of the next one.
std::vector<std::int64_t> blockOf(const NestPlan &plan, const std::vector<AxisId> &axes, std::int64_t steps)
{
    std::vector<std::int64_t> block(axes.size(), 1);
    for (std::size_t i = axes.size(); i-- > 0 && steps > 1;) {
        const std::int64_t extent = plan.extentOf(axes[i]);
        block[i] = extent <= steps ? extent : steps;
        steps /= block[i];
        if (block[i] != extent)
            break;
    }
    return block;
}

std::int64_t bytesInMemory(const NestPlan &plan)
{
    std::int64_t bytes = 1;
    for (const NestAccess &load : plan.loadsUnder(plan.nest().reductions.front().body))
        bytes = std::max(bytes, load.bytes);
    return bytes;
}

class TileSearch {
public:
    TileSearch(const NestPlan &plan, GpuProductAxes axes) : m_plan(plan), m_axes(std::move(axes))
    {
        const Reduction &reduction = plan.nest().reductions.front();
        m_product.batches = plan.elementsOf(m_axes.others);
        m_product.rows = plan.elementsOf(m_axes.rows);
        m_product.columns = plan.elementsOf(m_axes.columns);
        m_product.steps = plan.elementsOf(reduction.axes);
        m_product.bytes = bytesInMemory(plan);
        m_product.sumBytes = bytesOf(computeType(reduction.dtype));
        m_product.units = std::max<std::int64_t>(plan.device().threads, 1);
        m_product.localBytes = plan.device().localMemoryBytes;
    }

    // Nothing: no tile is cheaper than none, or the figures do not fit into 63 bits.
    std::optional<GpuTileChoice> best()
    {
        const CheckedSize all =
            CheckedSize(m_product.batches) * m_product.rows * m_product.columns * m_product.steps * kMostFactor;
        if (!all.fits())
            return std::nullopt;
        const std::int64_t untiled = untiledCycles(m_product);
        for (const auto &[ownRows, ownColumns] : kOwnTiles)
            for (const auto &[gridRows, gridColumns] : kGroupGrids)
                for (const GpuTileSide &rows : sidesOf(m_plan, m_axes.rows, ownRows * gridRows, ownRows))
                    for (const GpuTileSide &columns : sidesOf(m_plan, m_axes.columns, ownColumns * gridColumns, ownColumns))
                        for (const std::int64_t steps : kBlockSteps)
                            consider({.ownRows = ownRows, .ownColumns = ownColumns}, rows, columns, steps);
        return m_best && m_best->price.cycles() < untiled ? m_best : std::nullopt;
    }

    [[nodiscard]] const GpuProduct &product() const { return m_product; }

private:
    void consider(const GpuTile &own, const GpuTileSide &rows, const GpuTileSide &columns, std::int64_t steps)
    {
        const std::vector<AxisId> &axes = m_plan.nest().reductions.front().axes;
        GpuTileChoice choice{.tile = own, .rows = rows, .columns = columns, .block = blockOf(m_plan, axes, steps), .price = {}};
        choice.tile.rows = sizeOf(choice.rows);
        choice.tile.columns = sizeOf(choice.columns);
        choice.tile.steps = 1;
        GpuProduct padded = m_product;
        padded.rows = paddedIndices(m_plan, m_axes.rows, choice.rows);
        padded.columns = paddedIndices(m_plan, m_axes.columns, choice.columns);
        padded.steps = 1;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            choice.tile.steps *= choice.block[i];
            padded.steps *= roundedUp(m_plan.extentOf(axes[i]), choice.block[i]);
        }
        const std::int64_t items = choice.tile.items();
        if (items < kFewestItems || items > m_plan.device().maxWorkgroup)
            return;
        choice.price = priceOf(padded, choice.tile);
        if (choice.price.resident == 0)
            return;
        if (!m_best || choice.price.cycles() < m_best->price.cycles())
            m_best = std::move(choice);
    }

    const NestPlan &m_plan;
    GpuProductAxes m_axes;
    GpuProduct m_product;
    std::optional<GpuTileChoice> m_best;
};

} // namespace

bool chooseGroupTiles(NestPlan &plan)
{
    const std::optional<GpuProductAxes> axes = productAxesOf(plan);
    if (!axes)
        return false;
    TileSearch search(plan, *axes);
    const std::optional<GpuTileChoice> choice = search.best();
    if (!choice)
        return false;
    const GpuTile &tile = choice->tile;
    makeGpuTile(plan, *axes, *choice,
                format("{} work items in a group compute {} x {} sums, {} x {} each: {}; {} cycles without tiles", tile.items(),
                       tile.rows, tile.columns, tile.ownRows, tile.ownColumns, toText(choice->price),
                       untiledCycles(search.product())));
    return true;
}

} // namespace sw
