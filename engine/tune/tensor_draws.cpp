// Lists that are drawn for tensor instructions. Their tiles have the shape of the instruction, so that little of a plain draw
// fits them.

#include "engine/tune/tensor_draws.h"

#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

// Tiles side by side, each with sums of its own.
struct Tiles {
    std::int64_t ofRows = 1;
    std::int64_t vectors = 1;
};

class TensorDraw {
public:
    TensorDraw(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product, Dice &dice)
        : m_device(device),
          m_product(product),
          m_axes(product.factors.axes),
          m_dice(dice),
          m_instruction(dice.oneOf(product.instructions)),
          m_info(infoOf(m_instruction)),
          m_list(nest)
    {
    }

    TransformList take()
    {
        const Tiles tiles = drawnTiles();
        const AxisId columns = m_list.tile(m_axes.columns, m_info.columns * tiles.vectors, m_info.columns);
        const std::int64_t tileRows = m_info.rows * tiles.ofRows;
        const AxisId rows = tileRows > 1 ? m_list.tile(m_axes.rows, tileRows, 1) : m_axes.rows;
        splitSteps();
        arrange(partsOf(columns), partsOf(rows));
        share();
        m_list.add({.kind = TransformKind::Tensorize,
                    .axes = {m_list.axis(m_list.nest().reductions.front().axes.back()).name},
                    .instruction = m_instruction});
        copies();
        details();
        return m_list.take();
    }

private:
    // Of the tiles that the registers hold, the larger of two: they share what is read. Mostly such that leave no rest; tile
    // registers have none of columns.
    Tiles drawnTiles()
    {
        std::vector<Tiles> all;
        std::vector<Tiles> even;
        const std::int64_t rows = extentOf(m_axes.rows) / m_info.rows;
        const std::int64_t vectors = extentOf(m_axes.columns) / m_info.columns;
        for (Tiles tiles; tiles.ofRows <= std::min(rows, m_info.registers); ++tiles.ofRows)
            for (tiles.vectors = 1; tiles.vectors <= std::min(vectors, m_info.registers); ++tiles.vectors) {
                const bool areEvenColumns = vectors % tiles.vectors == 0;
                if (registersFor(m_info, tiles.ofRows, tiles.vectors) > m_info.registers ||
                    (hasTileRegisters(m_info) && !areEvenColumns))
                    continue;
                all.push_back(tiles);
                if (rows % tiles.ofRows == 0 && areEvenColumns)
                    even.push_back(tiles);
            }
        const std::vector<Tiles> &among = m_dice.percent(80) ? even : all;
        const Tiles &one = m_dice.oneOf(among);
        const Tiles &other = m_dice.oneOf(among);
        return one.ofRows * one.vectors >= other.ofRows * other.vectors ? one : other;
    }

    // Into the steps of a tile, in groups that lie interleaved.
    void splitSteps()
    {
        const AxisId innermost = m_list.nest().reductions.front().axes.back();
        const std::vector<std::int64_t> depths = depthsFor(m_list.nest(), m_info);
        const AxisId tile = m_list.split(innermost, m_dice.oneOf(depths)).inner;
        const ListBuilder::Parts groups = m_list.split(tile, depthGroupOf(m_info.b, m_info.sum));
        if (groups.outer.isValid())
            m_list.setType(groups.outer, AxisType::Unroll);
        m_list.setType(groups.inner, AxisType::Unroll);
    }

    // A loop over panels of columns or rows of tiles, mostly in two: of a share or a block, and of all of them.
    std::vector<AxisId> partsOf(AxisId loop)
    {
        if (!loop.isValid())
            return {};
        std::vector<std::int64_t> sizes;
        for (std::int64_t size = 2; size < extentOf(loop); ++size)
            if (extentOf(loop) % size == 0)
                sizes.push_back(size);
        if (sizes.empty() || m_dice.percent(30))
            return {loop};
        const ListBuilder::Parts parts = m_list.split(loop, m_dice.oneOf(sizes));
        return {parts.outer, parts.inner};
    }

    // The parts of each axis in their order, and those of columns and rows mixed in any way. Other loops are mostly outside.
    void arrange(std::vector<AxisId> columns, std::vector<AxisId> rows)
    {
        const auto isOf = [&](AxisId leaf, AxisId whole) { return unsplitAxis(m_list.nest(), leaf) == whole; };
        std::vector<AxisId> loops;
        std::vector<AxisId> tiles;
        for (const AxisId leaf : m_list.nest().order) {
            if (isRepeated(m_list.axis(leaf).type))
                tiles.push_back(leaf);
            else if (!isOf(leaf, m_axes.columns) && !isOf(leaf, m_axes.rows))
                loops.push_back(leaf);
        }
        const bool areOthersInside = m_dice.percent(15);
        std::vector<AxisId> mixed;
        while (!columns.empty() || !rows.empty()) {
            std::vector<AxisId> &from = rows.empty() || (!columns.empty() && m_dice.percent(50)) ? columns : rows;
            mixed.push_back(from.front());
            from.erase(from.begin());
        }
        loops.insert(areOthersInside ? loops.begin() : loops.end(), mixed.begin(), mixed.end());
        // An element of the rows serves all of its vectors.
        std::ranges::stable_partition(tiles, [&](AxisId leaf) { return isOf(leaf, m_axes.rows); });
        loops.insert(loops.end(), tiles.begin(), tiles.end());
        m_list.reorder(loops);
    }

    // Work items for the threads: mostly of the outermost loop that has enough rounds for all of them; of two at times.
    void share()
    {
        if (m_device.threads <= 1)
            return;
        std::vector<AxisId> loops = domainLoops(m_list.nest());
        std::vector<AxisId> items;
        const std::size_t count = 1 + (m_dice.percent(25) ? 1U : 0U);
        while (items.size() < count && !loops.empty()) {
            const auto isLong = [&](AxisId loop) { return extentOf(loop) >= static_cast<std::int64_t>(m_device.threads); };
            const auto first = std::ranges::find_if(loops, isLong);
            const AxisId item = first != loops.end() && m_dice.percent(75) ? *first : m_dice.oneOf(loops);
            std::erase(loops, item);
            items.push_back(item);
        }
        std::vector<AxisId> order = m_list.nest().order;
        std::ranges::stable_partition(order, [&](AxisId leaf) { return std::ranges::find(items, leaf) != items.end(); });
        m_list.reorder(order);
        for (const AxisId item : items)
            m_list.setType(item, AxisType::Thread);
    }

    // Columns are read from a copy, unless they lie in memory as the instruction reads them; a vector of them may be put together
    // from where they are. So may rows: for a tile register that is rarely as fast.
    void copies()
    {
        const LoopNest &nest = m_list.nest();
        const TensorFactors &factors = m_product.factors;
        const bool isTile = hasTileRegisters(m_info);
        const std::size_t ofColumns = areColumnsInOrder(nest, factors, m_info) ? 10 : isTile ? 100 : 90;
        if (m_dice.percent(ofColumns))
            copy(factors.b);
        if (nest.values[factors.a.value].kind == ValueKind::Load && m_dice.percent(isTile ? 92 : 20))
            copy(factors.a);
    }

    void copy(ValueId load) { copyTilesAnywhere(m_list, m_product, m_instruction, load, m_device.scratchBytes, m_dice); }

    void details()
    {
        for (std::size_t store = 0; store < m_list.nest().stores.size(); ++store)
            if (m_dice.percent(10))
                m_list.add({.kind = TransformKind::NonTemporal, .factor = static_cast<std::int64_t>(store)});
    }

    [[nodiscard]] std::int64_t extentOf(AxisId axis) const { return m_list.axis(axis).extent; }

    const DeviceInfo &m_device;
    const TensorProduct &m_product;
    TileAxes m_axes;
    Dice &m_dice;
    TensorInstruction m_instruction;
    const TensorInstructionInfo &m_info;
    ListBuilder m_list;
};

} // namespace

TransformList drawTensorList(const LoopNest &nest, const DeviceInfo &device, const TensorProduct &product, Dice &dice)
{
    return TensorDraw(nest, device, product, dice).take();
}

} // namespace sw
