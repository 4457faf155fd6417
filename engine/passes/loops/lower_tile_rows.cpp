// What becomes of the sums of a tile register. Its instructions can only store it as a whole, so its rows go through memory, and
// what is made of them is a loop over these rows: written out, the code would grow with rows x formula.

#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

namespace {

// So many rows in tile registers.
std::int64_t wholeTiles(std::int64_t rows, std::int64_t ofTile)
{
    return (rows + ofTile - 1) / ofTile * ofTile;
}

} // namespace

void KernelLowering::defineTileSums()
{
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        const Reduction &reduction = m_nest.reductions[i];
        if (!reduction.instruction || !hasTileRegisters(infoOf(*reduction.instruction)))
            continue;
        const TileExtents tile = tileExtentsOf(m_nest, ReductionId(i));
        std::int64_t rows = 1; // without the vectors side by side
        for (const AxisId leaf : m_nest.order)
            if (m_nest.axes[leaf.value].type == AxisType::Upcast &&
                m_tiling.unsplit(leaf) != tileRolesOf(m_nest, ReductionId(i)).columns)
                rows *= m_nest.axes[leaf.value].extent;
        const std::int64_t whole = wholeTiles(rows, infoOf(*reduction.instruction).rows);
        m_tileSums[ReductionId(i)] =
            m_builder.buffer(reduction.origin, reduction.dtype, tile.rows / rows * whole * tile.columns, "sums");
    }
}

// How the sums of these points lie in memory, if all that reads them can go over their rows in a loop. Nothing: they have no tile
// registers, or a store needs several rows at once.
std::optional<KernelLowering::TileRows> KernelLowering::tileRowsOf(ReductionId id, const std::vector<Point> &points) const
{
    if (!m_tileSums.contains(id) || m_nest.reductions.size() != 1)
        return std::nullopt;
    const AxisId columns = tileRolesOf(m_nest, id).columns;
    TileRows made;
    made.reduction = id;
    AxisId rowAxis;
    std::map<Chunk, std::int64_t> rowsOf;
    for (const Point &point : points) {
        for (const auto &[axis, chunk] : point) {
            if (axis == columns)
                continue;
            if (rowAxis.isValid() && axis != rowAxis)
                return std::nullopt;
            rowAxis = axis;
        }
        const auto own = point.find(columns);
        ++rowsOf[own != point.end() ? own->second : Chunk{}];
    }
    made.leaf = rowAxis.isValid() ? m_tiling.tileOf(rowAxis) : AxisId();
    const bool isOneLoop = made.leaf.isValid() && m_nest.axes[made.leaf.value].type == AxisType::Upcast;
    if (!isOneLoop || m_tiling.strideOf(made.leaf) != 1)
        return std::nullopt;
    made.rows = m_extents[made.leaf.value];
    std::int64_t place = 0;
    for (const auto &[chunk, rows] : rowsOf) {
        if (rows != made.rows)
            return std::nullopt;
        made.places[chunk] = place;
        place += wholeTiles(rows, infoOf(*m_nest.reductions[id.value].instruction).rows) * chunk.lanes;
    }
    const auto goesByRows = [&](const StoreStatement &store) {
        const std::vector<AxisId> axes = m_nest.arena.axesOf(store.index);
        const Point first = pointsOver(axes).front();
        const bool isAcross = lanesOf(first) > 1 && rowAxisOf(store, first).isValid();
        return store.buffer.isValid() && std::ranges::find(axes, rowAxis) != axes.end() && !isAcross;
    };
    const bool isPossible = std::ranges::all_of(
        m_nest.stores, [&](const StoreStatement &store) { return !readsReduction(store.value, id) || goesByRows(store); });
    return isPossible && made.rows > 1 ? std::optional(made) : std::nullopt;
}

bool KernelLowering::readsReduction(ValueId value, ReductionId id) const
{
    const std::vector<ValueId> values = valuesUnder(m_nest, value, ThroughReductions::No);
    return std::ranges::find(values, m_reductionValues.at(id)) != values.end();
}

bool KernelLowering::isStoredByRows(const StoreStatement &statement) const
{
    return m_tileRows && readsReduction(statement.value, m_tileRows->reduction);
}

// One loop for all of these stores: what several of them read is computed once.
void KernelLowering::emitByRows(const std::vector<std::size_t> &stores)
{
    const Reduction &reduction = m_nest.reductions[m_tileRows->reduction.value];
    const Axis &axis = m_nest.axes[m_tileRows->leaf.value];
    const AxisId rowAxis = m_tiling.unsplit(m_tileRows->leaf);
    const AxisId columns = tileRolesOf(m_nest, m_tileRows->reduction).columns;
    const InstructionId row = m_builder.beginRange(axis.origin, m_builder.index(axis.origin, m_tileRows->rows), axis.name);
    m_axes[rowAxis.value].push_back({row, 1, m_tileRows->leaf});
    m_isOpen[m_tileRows->leaf.value] = 1;
    withScope([&] {
        for (const auto &[chunk, place] : m_tileRows->places) {
            const InstructionId begin = place != 0 ? m_builder.index(reduction.origin, place) : InstructionId();
            const InstructionId at = sumTerm(reduction.origin, begin, row, chunk.lanes);
            Point point;
            if (m_tiling.tileOf(columns).isValid())
                point[columns] = chunk;
            m_scopes.back().cache[keyOf(m_reductionValues.at(m_tileRows->reduction), point)] =
                m_builder.load(reduction.origin, m_tileSums.at(m_tileRows->reduction), at, chunk.lanes);
        }
        for (const std::size_t store : stores)
            emitStore(store);
    });
    m_isOpen[m_tileRows->leaf.value] = 0;
    m_axes[rowAxis.value].pop_back();
    m_builder.endRange(axis.origin);
}

} // namespace sw
