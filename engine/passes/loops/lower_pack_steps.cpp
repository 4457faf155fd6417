// Copies whose innermost axis counts steps of a reduction that are written out: what a tensor instruction reads as one tile. The
// steps of a column lie side by side, and a store writes those of a whole vector of columns.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostRun = 64; // elements of a row that are copied at once

} // namespace

bool KernelLowering::endsInSteps(const Pack &pack) const
{
    const AxisId last = pack.order.back();
    const AxisId tile = m_tiling.tileOf(m_tiling.unsplit(last));
    const bool hasInstruction =
        std::ranges::any_of(m_nest.reductions, [](const Reduction &reduction) { return reduction.instruction.has_value(); });
    const bool hasParts = std::ranges::any_of(pack.order, [&](AxisId axis) {
        const AxisId whole = m_tiling.tileOf(m_tiling.unsplit(axis));
        return whole.isValid() && axis != whole && m_tiling.isPartOf(axis, whole);
    });
    return (hasInstruction || hasParts) && m_nest.axes[last.value].isReduce && tile.isValid() && m_tiling.isPartOf(last, tile);
}

const Pack &KernelLowering::packOf(ValueId load) const
{
    return *std::ranges::find_if(m_nest.packs, [&](const Pack &candidate) { return candidate.load == load; });
}

const KernelLowering::Copy *KernelLowering::copyOf(ValueId load) const
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->packs.find(load); found != scope->packs.end())
            return &found->second;
    return nullptr;
}

// Where parts of a tile of the domain index the copy, its chunks are written out; all other axes are loops.
void KernelLowering::emitPackOfSteps(const Pack &pack)
{
    const Value &value = m_nest.values[pack.load.value];
    m_builder.beginBlock(value.origin, format("copy of argument {}", m_builder.at(m_memory.at(value.buffer)).argument));
    withScope([&] {
        InstructionId row;
        std::vector<Point> points{Point{}};
        std::vector<AxisId> open;
        std::set<AxisId> written;
        auto layout = packLayout(pack);
        layout.pop_back();
        for (std::size_t i = layout.size(); i-- > 1;) {
            const auto [axis, stride] = layout[i];
            const AxisId tile = m_tiling.tileOf(m_tiling.unsplit(axis));
            if (m_isFixed[axis.value] != 0)
                continue;
            const bool isInTile = !m_nest.axes[axis.value].isReduce && tile.isValid() && m_tiling.isPartOf(axis, tile);
            if (isInTile && (axis != tile || m_tiling.chunksOf(tile, m_extents[tile.value]).front().lanes > 1)) {
                if (written.insert(tile).second)
                    points = withChunks(points, tile, {m_extents[tile.value]});
                continue;
            }
            const InstructionId count = hasEnd(axis) ? countAt(axis) : m_builder.index(value.origin, m_extents[axis.value]);
            const InstructionId counter = m_builder.beginRange(value.origin, count, m_nest.axes[axis.value].name);
            m_axes[m_tiling.unsplit(axis).value].push_back({counter, m_tiling.strideOf(axis), axis});
            row = sumTerm(value.origin, row, counter, stride);
            open.push_back(axis);
        }
        for (const Point &columns : points)
            emitStepsOfColumns(pack, row, columns);
        for (auto axis = open.rbegin(); axis != open.rend(); ++axis) {
            m_builder.endRange(value.origin);
            m_axes[m_tiling.unsplit(*axis).value].pop_back();
        }
    });
    m_builder.endBlock(value.origin);
}

// Stores the steps of the columns of a chunk, or of one column.
void KernelLowering::emitStepsOfColumns(const Pack &pack, InstructionId row, const Point &columns)
{
    const Value &value = m_nest.values[pack.load.value];
    const AxisId last = pack.order.back();
    const AxisId reduced = m_tiling.unsplit(last);
    const std::int64_t unit = m_tiling.strideOf(last);
    const std::int64_t steps = m_extents[last.value];
    const auto lanes = static_cast<std::int64_t>(lanesOf(columns));
    const auto with = [&](const Point &point, std::int64_t first, std::int64_t count) {
        Point made = point;
        made[reduced] = {.offset = first * unit, .lanes = static_cast<std::uint32_t>(count), .step = unit};
        return made;
    };
    const auto store = [&](std::int64_t place, InstructionId stored) {
        InstructionId at = m_builder.index(value.origin, place);
        if (row.isValid())
            at = place == 0 ? row : m_builder.alu(value.origin, Op::Add, {row, at});
        m_builder.store(value.origin, m_scratch.at(&pack), at, stored);
    };
    const std::int64_t start = placeInPack(pack, with(laneOf(columns, 0), 0, 1));
    bool isRun = lanes * steps <= kMostRun;
    for (std::int64_t lane = 0; lane < lanes; ++lane)
        isRun = isRun && placeInPack(pack, with(laneOf(columns, static_cast<std::uint32_t>(lane)), 0, 1)) == start + lane * steps;
    if (lanes == 1 || !isRun) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const Point column = laneOf(columns, static_cast<std::uint32_t>(lane));
            for (std::int64_t step = 0; step < steps;) {
                const auto left = static_cast<std::uint64_t>(std::min(steps - step, kMostRun));
                const auto count = static_cast<std::int64_t>(std::bit_floor(left));
                store(placeInPack(pack, with(column, step, 1)), valueAt(pack.load, with(column, step, count)));
                step += count;
            }
        }
        return;
    }
    std::int64_t alongSteps = 0;
    const bool isAlongSteps = m_nest.arena.linearIn(value.index, reduced, alongSteps) && alongSteps * unit == 1;
    std::vector<std::pair<InstructionId, std::uint32_t>> elements;
    if (isAlongSteps) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const InstructionId column = valueAt(pack.load, with(laneOf(columns, static_cast<std::uint32_t>(lane)), 0, steps));
            for (std::int64_t step = 0; step < steps; ++step)
                elements.emplace_back(column, static_cast<std::uint32_t>(step));
        }
    } else {
        std::vector<InstructionId> rows;
        for (std::int64_t step = 0; step < steps; ++step)
            rows.push_back(valueAt(pack.load, with(columns, step, 1)));
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            for (const InstructionId one : rows)
                elements.emplace_back(one, static_cast<std::uint32_t>(lane));
    }
    store(start, joined(value.origin, elements));
}

// One vector of these lanes; a value of one lane stands for itself.
InstructionId KernelLowering::joined(const Origin &origin, const std::vector<std::pair<InstructionId, std::uint32_t>> &lanes)
{
    std::vector<InstructionId> parts;
    for (const auto &[vector, lane] : lanes)
        parts.push_back(m_builder.at(vector).lanes == 1 ? vector : m_builder.gep(origin, vector, lane));
    return parts.size() == 1 ? parts.front() : m_builder.vectorize(origin, std::move(parts));
}

} // namespace sw
