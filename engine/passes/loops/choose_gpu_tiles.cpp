// Products on a GPU: each group of work items computes a tile of the sums. It copies what the tile needs of both factors into its
// own memory, block by block, and each item has some rows and columns of the tile in registers.

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/gpu_price.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kFewestItems = 32; // fewer leave lanes of a unit empty
constexpr std::size_t kItemAxes = 3;
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

// One axis of the domain along a side of the tile.
struct SidePart {
    AxisId axis;
    std::int64_t extent = 1; // of the tile
};

// The parts of a side, innermost first.
using Side = std::vector<SidePart>;

// Axes that one factor moves with and the other does not, innermost first.
struct ProductAxes {
    std::vector<AxisId> rows;
    std::vector<AxisId> columns;
    std::vector<AxisId> others; // in their order
};

// What was chosen.
struct Choice {
    GpuTile tile;
    Side rows;
    Side columns;
    std::vector<std::int64_t> block; // by axis of the reduction: steps of a block along it
    GpuPrice price;
};

std::optional<ProductAxes> productAxesOf(const NestPlan &plan)
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
    const std::optional<TileAxes> innermost = tileAxes(plan);
    if (!innermost)
        return std::nullopt;
    const auto moves = [&](std::size_t factor, AxisId axis) {
        return std::ranges::binary_search(plan.dependencies()[body.operands.at(factor).value], axis);
    };
    ProductAxes axes;
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
std::vector<Side> sidesOf(const NestPlan &plan, const std::vector<AxisId> &axes, std::int64_t size, std::int64_t own)
{
    std::vector<Side> sides;
    const std::int64_t longest = std::min(size, ceilPowerOfTwo(plan.extentOf(axes[0])));
    for (std::int64_t inner = longest; inner >= own; inner /= 2) {
        Side side{{axes[0], inner}};
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

std::int64_t sizeOf(const Side &side)
{
    std::int64_t size = 1;
    for (const SidePart &part : side)
        size *= part.extent;
    return size;
}

// The indices along the axes when those of the side are padded for its parts.
std::int64_t paddedIndices(const NestPlan &plan, const std::vector<AxisId> &axes, const Side &side)
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
    TileSearch(const NestPlan &plan, ProductAxes axes) : m_plan(plan), m_axes(std::move(axes))
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
    std::optional<Choice> best()
    {
        const CheckedSize all =
            CheckedSize(m_product.batches) * m_product.rows * m_product.columns * m_product.steps * kMostFactor;
        if (!all.fits())
            return std::nullopt;
        const std::int64_t untiled = untiledCycles(m_product);
        for (const auto &[ownRows, ownColumns] : kOwnTiles)
            for (const auto &[gridRows, gridColumns] : kGroupGrids)
                for (const Side &rows : sidesOf(m_plan, m_axes.rows, ownRows * gridRows, ownRows))
                    for (const Side &columns : sidesOf(m_plan, m_axes.columns, ownColumns * gridColumns, ownColumns))
                        for (const std::int64_t steps : kBlockSteps)
                            consider({.ownRows = ownRows, .ownColumns = ownColumns}, rows, columns, steps);
        return m_best && m_best->price.cycles() < untiled ? m_best : std::nullopt;
    }

    [[nodiscard]] const GpuProduct &product() const { return m_product; }

private:
    void consider(const GpuTile &own, const Side &rows, const Side &columns, std::int64_t steps)
    {
        const std::vector<AxisId> &axes = m_plan.nest().reductions.front().axes;
        Choice choice{.tile = own, .rows = rows, .columns = columns, .block = blockOf(m_plan, axes, steps), .price = {}};
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
    ProductAxes m_axes;
    GpuProduct m_product;
    std::optional<Choice> m_best;
};

// Makes the loops of a choice. The reason has its price.
class TiledProduct {
public:
    TiledProduct(NestPlan &plan, const ProductAxes &axes, const Choice &choice, std::string reason)
        : m_plan(plan), m_axes(axes), m_choice(choice), m_reason(std::move(reason))
    {
    }

    void make()
    {
        const std::vector<AxisId> reduced = m_plan.nest().reductions.front().axes;
        padAll(reduced);
        const std::vector<AxisId> rows = splitSide(m_axes.rows, m_choice.rows, m_choice.tile.ownRows, 1);
        const std::vector<AxisId> columns = splitSide(m_axes.columns, m_choice.columns, m_choice.tile.ownColumns, lanes());
        splitSteps();
        order();
        setTypes();
        for (const NestAccess &load : m_plan.loadsUnder(m_plan.nest().reductions.front().body))
            share(load, rows, columns);
        for (const AxisId step : m_steps)
            if (m_plan.extentOf(step) > 1)
                m_plan.unroll(step, m_plan.extentOf(step), "the steps of a block are written out");
    }

private:
    [[nodiscard]] std::int64_t lanes() const { return std::min(m_choice.tile.ownColumns, m_plan.vectorLanes()); }

    // Returns the axis that stands for it from now on.
    AxisId padded(AxisId axis, std::int64_t multiple)
    {
        const std::int64_t extent = m_plan.extentOf(axis);
        if (multiple < 2 || extent % multiple == 0)
            return axis;
        return m_plan.pad(axis, multiple,
                          format("{} indices are no tiles of {}; what is not there counts as 0", extent, multiple));
    }

    void padAll(const std::vector<AxisId> &reduced)
    {
        for (SidePart &part : m_choice.rows)
            part.axis = padded(part.axis, part.extent);
        for (SidePart &part : m_choice.columns)
            part.axis = padded(part.axis, part.extent);
        for (std::size_t i = 0; i < reduced.size(); ++i)
            if (m_choice.block[i] < m_plan.extentOf(reduced[i]))
                padded(reduced[i], m_choice.block[i]);
    }

    // Returns the parts that a group computes, outermost first.
    std::vector<AxisId> splitSide(const std::vector<AxisId> &axes, const Side &side, std::int64_t own, std::int64_t lanes)
    {
        // What the tile does not go along.
        m_groups.insert(m_groups.end(), axes.begin() + static_cast<std::ptrdiff_t>(side.size()), axes.end());
        std::vector<AxisId> inGroup;
        for (std::size_t i = side.size(); i-- > 0;) {
            const NestPlan::Parts parts = partsOf(
                side[i].axis, side[i].extent, format("a group computes {} x {} sums", m_choice.tile.rows, m_choice.tile.columns));
            inGroup.push_back(parts.inner);
            if (parts.outer.isValid())
                m_groups.push_back(parts.outer);
            if (i > 0) {
                m_places.push_back(parts.inner);
                continue;
            }
            const NestPlan::Parts item = partsOf(parts.inner, own, format("{} per work item, in registers", own));
            if (item.outer.isValid())
                m_places.push_back(item.outer);
            const NestPlan::Parts vectors = partsOf(item.inner, lanes, format("vectors of {} lanes", lanes));
            if (lanes == 1 || vectors.outer.isValid())
                m_repeated.push_back(lanes == 1 ? item.inner : vectors.outer);
            if (lanes > 1)
                m_vector = vectors.inner;
        }
        return inGroup;
    }

    NestPlan::Parts partsOf(AxisId axis, std::int64_t extent, const std::string &reason)
    {
        if (extent == 1 || m_plan.extentOf(axis) <= extent)
            return {AxisId(), axis};
        return m_plan.split(axis, extent, reason);
    }

    // The block's steps along each axis of the reduction, and the loops over blocks. There is always one of these: the copies are
    // made in it.
    void splitSteps()
    {
        const std::vector<AxisId> axes = m_plan.nest().reductions.front().axes;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t steps = m_choice.block[i];
            const std::string reason = format("{} steps at once in the group's memory", m_choice.tile.steps);
            if (steps == 1 && m_plan.extentOf(axes[i]) > 1) {
                m_blocks.push_back(axes[i]);
            } else if (steps < m_plan.extentOf(axes[i]) || (m_blocks.empty() && i + 1 == axes.size())) {
                const NestPlan::Parts parts = m_plan.split(axes[i], steps, reason);
                m_blocks.push_back(parts.outer);
                m_steps.push_back(parts.inner);
            } else {
                m_steps.push_back(axes[i]);
            }
        }
        std::vector<AxisId> loops = m_blocks;
        loops.insert(loops.end(), m_steps.begin(), m_steps.end());
        if (loops != m_plan.nest().reductions.front().order)
            reorderSteps(loops);
    }

    // Of a reduction in several axes: the loops over blocks outside.
    void reorderSteps(const std::vector<AxisId> &loops)
    {
        std::vector<std::string> names;
        for (const AxisId loop : loops)
            names.push_back(m_plan.nameOf(loop));
        m_plan.tryApply({.kind = TransformKind::Reorder, .axes = names, .reason = "the steps of a block inside of it"});
    }

    void order()
    {
        std::vector<AxisId> order = m_axes.others;
        for (const std::vector<AxisId> *part : {&m_groups, &m_places, &m_repeated})
            order.insert(order.end(), part->begin(), part->end());
        if (m_vector.isValid())
            order.push_back(m_vector);
        m_plan.reorder(order, "groups outside, then their work items, then what an item has in registers");
        m_groups.insert(m_groups.begin(), m_axes.others.begin(), m_axes.others.end());
    }

    void setTypes()
    {
        const std::size_t first = m_groups.size() > kItemAxes ? m_groups.size() - kItemAxes : 0;
        for (std::size_t i = first; i < m_groups.size(); ++i)
            m_plan.setType(m_groups[i], AxisType::Global, "a group per index");
        for (const AxisId place : m_places)
            m_plan.setType(place, AxisType::Local,
                           place == m_places.front() ? m_reason : format("{} work items in a group", m_choice.tile.items()));
        for (const AxisId repeated : m_repeated)
            m_plan.setType(repeated, AxisType::Upcast,
                           format("{} x {} sums per work item", m_choice.tile.ownRows, m_choice.tile.ownColumns));
        if (m_vector.isValid())
            m_plan.setType(m_vector, AxisType::Vector, "neighbouring columns are read at once");
    }

    // A factor that moves with one side of the tile is read by all items along the other one.
    void share(const NestAccess &load, const std::vector<AxisId> &rows, const std::vector<AxisId> &columns)
    {
        const auto moving = [&](const std::vector<AxisId> &axes) {
            std::vector<AxisId> found;
            std::ranges::copy_if(axes, std::back_inserter(found),
                                 [&](AxisId axis) { return m_plan.dependsOn(load, unsplitAxis(m_plan.nest(), axis)); });
            return found;
        };
        std::vector<AxisId> order = moving(m_steps);
        const std::vector<AxisId> ofRows = moving(rows);
        const std::vector<AxisId> ofColumns = moving(columns);
        const bool isBuffer = m_plan.nest().values[load.load.value].kind == ValueKind::Load;
        if (!isBuffer || moving(m_plan.nest().reductions.front().axes).empty() || ofRows.empty() == ofColumns.empty())
            return;
        order.insert(order.end(), ofRows.begin(), ofRows.end());
        order.insert(order.end(), ofColumns.begin(), ofColumns.end());
        const bool isAlong = m_plan.strideIn(load, unsplitAxis(m_plan.nest(), order.back())) == 1;
        const std::int64_t again = ofRows.empty() ? m_choice.tile.rows : m_choice.tile.columns;
        m_plan.share(load.load, m_blocks.back(), order, isAlong ? 0 : kGpuApart,
                     format("{} sums of the group read each element{}", again,
                            isAlong ? "" : "; it is written down columns, and rows further apart meet other banks"));
    }

    NestPlan &m_plan;
    const ProductAxes &m_axes;
    Choice m_choice;
    std::string m_reason;
    std::vector<AxisId> m_groups;   // loops over groups
    std::vector<AxisId> m_places;   // of the items in their group
    std::vector<AxisId> m_repeated; // in registers
    AxisId m_vector;
    std::vector<AxisId> m_blocks; // of the reduction
    std::vector<AxisId> m_steps;  // of a block
};

} // namespace

bool chooseGroupTiles(NestPlan &plan)
{
    const std::optional<ProductAxes> axes = productAxesOf(plan);
    if (!axes)
        return false;
    TileSearch search(plan, *axes);
    const std::optional<Choice> choice = search.best();
    if (!choice)
        return false;
    const GpuTile &tile = choice->tile;
    TiledProduct(plan, *axes, *choice,
                 format("{} work items in a group compute {} x {} sums, {} x {} each: {}; {} cycles without tiles", tile.items(),
                        tile.rows, tile.columns, tile.ownRows, tile.ownColumns, toText(choice->price),
                        untiledCycles(search.product())))
        .make();
    return true;
}

} // namespace sw
