// Reductions whose steps are products of tiles by a tensor instruction. The sums of a tile are one accumulator, which stays where
// the instruction wants it (a tile register, a vector) over all the steps.

#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

Point withStep(const Point &point, const Point &step)
{
    Point made = point;
    made.insert(step.begin(), step.end());
    return made;
}

// The factor before it was converted to the type of the sums, which the instruction does.
ValueId narrowOf(const LoopNest &nest, ValueId factor)
{
    const Value &value = nest.values[factor.value];
    return value.kind == ValueKind::Cast ? value.operands[0] : factor;
}

} // namespace

// The elements as one load, when they lie side by side in a copy; else invalid.
InstructionId KernelLowering::packedTile(ValueId load, const std::vector<Point> &elements)
{
    const Copy *copy = copyOf(load);
    if (copy == nullptr)
        return InstructionId();
    const Pack &pack = packOf(load);
    const std::int64_t start = placeInPack(pack, elements.front());
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (placeInPack(pack, elements[i]) != start + static_cast<std::int64_t>(i))
            return InstructionId();
    const Origin &origin = m_nest.values[load.value].origin;
    const IndexParts parts = packedIndex(pack, *copy, elements.front());
    InstructionId at = m_builder.index(origin, parts.constant);
    if (parts.base.isValid())
        at = parts.constant == 0 ? parts.base : m_builder.alu(origin, Op::Add, {parts.base, at});
    return m_builder.load(origin, copy->scratch, at, static_cast<std::uint32_t>(elements.size()));
}

// How far from where the loops stand an index goes at a point of the tile. Nothing: that depends on the loops.
std::optional<std::int64_t> KernelLowering::placeInTile(ExprId index, const Point &point) const
{
    const auto offsetOf = [&](const IndexArena::Sum &sum) {
        std::int64_t offset = 0;
        for (const auto &[factor, part] : sum.terms)
            if (const auto chunk = point.find(m_nest.arena.at(part).axis); chunk != point.end())
                offset += factor * chunk->second.offset;
        return offset;
    };
    std::int64_t place = 0;
    for (const IndexArena::Term &each : m_nest.arena.sumOf(index).terms) {
        const IndexExpr &term = m_nest.arena.at(each.second);
        if (term.kind == ExprKind::Axis) {
            place += offsetOf({.terms = {each}});
            continue;
        }
        const IndexArena::Sum operand = m_nest.arena.sumOf(term.a);
        const bool areAxes = std::ranges::all_of(
            operand.terms, [&](const IndexArena::Term &part) { return m_nest.arena.at(part.second).kind == ExprKind::Axis; });
        const std::int64_t offset = areAxes ? offsetOf(operand) : 0;
        if (!areAxes || offset < 0 || !isMultipleOf(term.a, Point{}, term.number))
            return std::nullopt;
        place += each.first * (term.kind == ExprKind::Div ? offset / term.number : offset % term.number);
    }
    return place;
}

// The elements as one load, when they lie side by side in the memory that the load reads; else invalid.
InstructionId KernelLowering::storedTile(ValueId load, const std::vector<Point> &elements)
{
    const Value &value = m_nest.values[load.value];
    if (value.kind != ValueKind::Load || !value.buffer.isValid() || !value.conditions.empty() || copyOf(load) != nullptr)
        return InstructionId();
    const std::optional<std::int64_t> start = placeInTile(value.index, elements.front());
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (!start || placeInTile(value.index, elements[i]) != *start + static_cast<std::int64_t>(i))
            return InstructionId();
    IndexParts parts = indexParts(value.origin, value.index, Point{});
    parts.constant += *start;
    return m_builder.load(value.origin, m_memory.at(value.buffer), scalarIndex(value.origin, parts),
                          static_cast<std::uint32_t>(elements.size()));
}

// A tile register has all of its rows, also where a tile has fewer: a copy has room for them, else the last row stands for them.
// Nobody reads their sums. all: the rows of the tiles, which are along one axis where some are missing.
std::vector<Point> KernelLowering::wholeTileOf(const std::vector<Point> &rows, const std::vector<Point> &all, std::int64_t count,
                                               bool isCopied) const
{
    std::vector<Point> whole = rows;
    AxisId axis;
    for (const auto &[other, chunk] : rows.front())
        if (all.front().at(other) != all.back().at(other))
            axis = other;
    while (std::ssize(whole) < count) {
        Point next = whole.back();
        if (isCopied && axis.isValid())
            next.at(axis).offset += next.at(axis).step;
        whole.push_back(std::move(next));
    }
    return whole;
}

// rows x depth, row by row.
InstructionId KernelLowering::rowsOfA(ValueId narrow, const std::vector<Point> &rows, const std::vector<Point> &steps)
{
    std::vector<Point> elements;
    for (const Point &row : rows)
        for (const Point &step : steps)
            elements.push_back(withStep(row, step));
    if (const InstructionId whole = packedTile(narrow, elements); whole.isValid())
        return whole;
    const auto &[reduced, first] = *steps.front().begin();
    const Chunk along{.offset = first.offset, .lanes = static_cast<std::uint32_t>(steps.size()), .step = first.step};
    const Origin &origin = m_nest.values[narrow.value].origin;
    std::vector<std::pair<InstructionId, std::uint32_t>> lanes;
    for (const Point &row : rows) {
        const Point point = withStep(restricted(row, m_dependencies[narrow.value]), Point{{reduced, along}});
        const InstructionId value = widened(origin, valueAt(narrow, point), along.lanes);
        if (rows.size() == 1)
            return value;
        for (std::uint32_t lane = 0; lane < along.lanes; ++lane)
            lanes.emplace_back(value, lane);
    }
    return joined(origin, lanes);
}

// depth x columns, in groups of rows that lie interleaved.
InstructionId KernelLowering::columnsOfB(ValueId narrow, const Point &columns, const std::vector<Point> &steps)
{
    const Reduction &reduction = m_nest.reductions.front();
    const auto group = static_cast<std::size_t>(depthGroupOf(m_nest.values[narrow.value].dtype, reduction.dtype));
    const std::uint32_t count = lanesOf(columns);
    std::vector<std::pair<std::uint32_t, std::size_t>> order; // column and step
    for (std::size_t first = 0; first < steps.size(); first += group)
        for (std::uint32_t column = 0; column < count; ++column)
            for (std::size_t step = first; step < first + group; ++step)
                order.emplace_back(column, step);
    std::vector<Point> elements;
    for (const auto &[column, step] : order)
        elements.push_back(withStep(laneOf(columns, column), steps[step]));
    if (const InstructionId whole = packedTile(narrow, elements); whole.isValid())
        return whole;
    if (const InstructionId whole = storedTile(narrow, elements); whole.isValid())
        return whole;
    const Origin &origin = m_nest.values[narrow.value].origin;
    std::vector<InstructionId> rows;
    for (const Point &step : steps)
        rows.push_back(widened(origin, valueAt(narrow, withStep(columns, step)), count));
    std::vector<std::pair<InstructionId, std::uint32_t>> lanes;
    for (const auto &[column, step] : order)
        lanes.emplace_back(rows[step], column);
    return joined(origin, lanes);
}

void KernelLowering::emitTensorReduction(ReductionId id, const std::vector<Point> &points)
{
    struct Tile {
        std::vector<Point> rows;
        Chunk columns;
        InstructionId sums;
    };
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const TensorInstructionInfo &info = infoOf(*reduction.instruction);
    const TileRoles roles = tileRolesOf(m_nest, id);
    const ValueId a = narrowOf(m_nest, roles.a);
    const ValueId b = narrowOf(m_nest, roles.b);

    std::map<Chunk, std::vector<Point>> rowsOf;
    for (const Point &point : points) {
        const auto columns = point.find(roles.columns);
        rowsOf[columns != point.end() ? columns->second : Chunk{}].push_back(point);
    }
    std::vector<Tile> tiles;
    for (const auto &[columns, rows] : rowsOf) {
        // A rest of the columns is no whole tile: row by row.
        const auto most = static_cast<std::ptrdiff_t>(columns.lanes == info.columns ? info.rows : 1);
        for (auto row = rows.begin(); row != rows.end();) {
            const auto end = row + std::min(most, rows.end() - row);
            const std::vector<Point> own(row, end);
            const bool isWhole = hasTileRegisters(info) && columns.lanes == info.columns;
            const auto height = isWhole ? static_cast<std::uint32_t>(info.rows) : static_cast<std::uint32_t>(own.size());
            const auto lanes = columns.lanes * height;
            const InstructionId sums = m_builder.acc(origin, reduction.dtype, lanes, "sums");
            m_builder.assign(origin, sums, m_builder.constant(origin, Scalar::of(reduction.dtype, std::int64_t{0}), lanes));
            tiles.push_back({own, columns, sums});
            row = end;
        }
    }

    std::vector<Point> steps{Point{}};
    for (const AxisId axis : reduction.axes)
        if (const AxisId tile = m_tiling.tileOf(axis); tile.isValid())
            steps = withChunks(steps, tile, {m_nest.axes[tile.value].extent});
    emitLoops(
        m_tiling.loopsOf(reduction.order), 0, [](std::size_t) {},
        [&] {
            std::map<std::vector<Point>, InstructionId> madeA;
            std::map<Point, InstructionId> madeB;
            for (const Tile &tile : tiles) {
                std::vector<Point> rows;
                for (const Point &row : tile.rows)
                    rows.push_back(restricted(row, m_dependencies[a.value]));
                if (hasTileRegisters(info) && tile.columns.lanes == info.columns)
                    rows = wholeTileOf(rows, rowsOf.at(tile.columns), info.rows, copyOf(a) != nullptr);
                const Point columns = restricted(tile.rows.front(), m_dependencies[b.value]);
                if (!madeA.contains(rows))
                    madeA[rows] = rowsOfA(a, rows, steps);
                if (!madeB.contains(columns))
                    madeB[columns] = columnsOfB(b, columns, steps);
                const auto count = static_cast<std::int64_t>(rows.size());
                m_builder.assign(origin, tile.sums, m_builder.wmma(origin, madeA[rows], madeB[columns], tile.sums, count));
            }
        });

    const ValueId result = m_reductionValues.at(id);
    m_tileRows = tileRowsOf(id, points);
    std::int64_t place = 0;
    for (const Tile &tile : tiles) {
        if (m_tileRows) {
            const Chunk &row = tile.rows.front().at(m_tiling.unsplit(m_tileRows->leaf));
            place = m_tileRows->places.at(tile.columns) + row.offset * tile.columns.lanes;
            m_builder.store(origin, m_tileSums.at(id), m_builder.index(origin, place), tile.sums);
            continue;
        }
        if (m_builder.at(tile.sums).lanes == tile.columns.lanes) {
            m_scopes.back().cache[keyOf(result, tile.rows.front())] = tile.sums;
            continue;
        }
        const InstructionId memory = m_tileSums.at(id);
        m_builder.store(origin, memory, m_builder.index(origin, place), tile.sums);
        for (std::size_t row = 0; row < tile.rows.size(); ++row) {
            const InstructionId at = m_builder.index(origin, place + static_cast<std::int64_t>(row) * tile.columns.lanes);
            m_scopes.back().cache[keyOf(result, tile.rows[row])] = m_builder.load(origin, memory, at, tile.columns.lanes);
        }
        place += m_builder.at(tile.sums).lanes;
    }
}

} // namespace sw
