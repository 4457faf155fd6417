// Copies of what a load reads, and reading them.

#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

// The axes that index a pack's copy, with their strides in it, and at last the size of the whole copy.
std::vector<std::pair<AxisId, std::int64_t>> KernelLowering::packLayout(const Pack &pack) const
{
    std::vector<std::pair<AxisId, std::int64_t>> layout;
    std::int64_t stride = 1;
    for (std::size_t i = pack.order.size(); i-- > 0;) {
        layout.emplace_back(pack.order[i], stride);
        std::int64_t extent = m_nest.axes[pack.order[i].value].extent;
        if (i + 1 == pack.order.size() && hasRoomForMasked(pack)) {
            const std::int64_t lanes = m_tiling.chunksOf(pack.order[i], extent).back().lanes;
            extent = (extent + lanes - 1) / lanes * lanes;
        }
        stride *= roomFor(pack.order[i], extent);
        if (i + 1 == pack.order.size())
            stride += pack.apart;
    }
    layout.emplace_back(AxisId(), stride);
    return layout;
}

// How many indices of the axis a copy has room for: tile registers read whole tiles of rows, also where fewer are needed.
std::int64_t KernelLowering::roomFor(AxisId leaf, std::int64_t extent) const
{
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        const Reduction &reduction = m_nest.reductions[i];
        if (!reduction.instruction || !hasTileRegisters(infoOf(*reduction.instruction)) ||
            m_nest.axes[leaf.value].type != AxisType::Upcast ||
            m_tiling.unsplit(leaf) == tileRolesOf(m_nest, ReductionId(i)).columns)
            continue;
        return (extent + infoOf(*reduction.instruction).rows - 1) / infoOf(*reduction.instruction).rows *
               infoOf(*reduction.instruction).rows;
    }
    return extent;
}

// Whether the rows of the copy are whole vectors: what a masked one has no index for is there, and nobody reads it.
bool KernelLowering::hasRoomForMasked(const Pack &pack) const
{
    const AxisId last = pack.order.back();
    const AxisId whole = m_tiling.unsplit(last);
    return m_tiling.tileOf(whole) == last && maskedVectorOf(m_nest, whole).isValid();
}

void KernelLowering::emitPacksAt(AxisId leaf)
{
    // Only the steps of a reduction read a copy.
    if (m_blockPhase != BlockPhase::None && m_blockPhase != BlockPhase::Add)
        return;
    for (const Pack &pack : m_nest.packs)
        if (pack.at == leaf && !pack.isShared && (m_isFixed[leaf.value] == 0 || !endsInSteps(pack))) // a rest has no whole tiles
            emitPack(pack);
    emitSharedAt(leaf);
}

// Reduction axes become plain loops here, and so do tiles, except for one that the load reads as vectors along the copy's rows.
void KernelLowering::emitPack(const Pack &pack)
{
    const Value &value = m_nest.values[pack.load.value];
    const AxisId last = pack.order.back();
    const AxisId whole = m_tiling.unsplit(last);
    const bool hasVectors = m_tiling.tileOf(whole) == last && std::ranges::binary_search(m_dependencies[pack.load.value], whole);
    const SourceRun run = hasVectors ? runToTranspose(pack) : SourceRun();
    const Standing start = standing();
    if (endsInSteps(pack)) {
        emitPackOfSteps(pack);
        m_scopes.back().packs[pack.load] = {m_scratch.at(&pack), start};
        return;
    }
    m_builder.beginBlock(value.origin, value.buffer.isValid()
                                           ? format("copy of argument {}", m_builder.at(m_memory.at(value.buffer)).argument)
                                           : std::string("copy of what a stage hands on"));
    withScope([&] {
        std::vector<std::pair<InstructionId, std::int64_t>> row; // counters with their strides in the copy
        auto layout = packLayout(pack);
        layout.pop_back();
        std::vector<AxisId> open;
        for (std::size_t i = layout.size(); i-- > 0;) {
            const auto [axis, stride] = layout[i];
            const bool isFixed = m_isFixed[axis.value] != 0; // in a rest, where it has one index
            const bool isInRun = std::ranges::find(run.axes, axis) != run.axes.end();
            if (isFixed || isInRun || (axis == last && hasVectors))
                continue;
            // Where the load does not move with an axis, its end says nothing about what is read.
            const bool ends = hasEnd(axis) && std::ranges::binary_search(m_dependencies[pack.load.value], m_tiling.unsplit(axis));
            const InstructionId count = ends ? countAt(axis) : m_builder.index(value.origin, m_extents[axis.value]);
            const InstructionId counter = m_builder.beginRange(value.origin, count, m_nest.axes[axis.value].name);
            m_axes[m_tiling.unsplit(axis).value].push_back({counter, m_tiling.strideOf(axis), axis});
            row.emplace_back(counter, stride);
            open.push_back(axis);
        }
        std::vector<Point> points{Point{}};
        if (hasVectors)
            points = runsAlongSource(pack, withChunks(points, last, {m_extents[last.value]}));
        if (run.axes.empty())
            for (const Point &point : points)
                emitPackedElements(pack, row, point);
        else
            emitTransposed(pack, run, row, points);
        for (auto axis = open.rbegin(); axis != open.rend(); ++axis) {
            m_builder.endRange(value.origin);
            m_axes[m_tiling.unsplit(*axis).value].pop_back();
        }
    });
    m_builder.endBlock(value.origin);
    m_scopes.back().packs[pack.load] = {m_scratch.at(&pack), start};
}

// Stores the elements of a chunk of the copy's last axis, or the only one, into the row that the counters give.
void KernelLowering::emitPackedElements(const Pack &pack, std::span<const std::pair<InstructionId, std::int64_t>> row,
                                        const Point &point)
{
    const Origin &origin = m_nest.values[pack.load.value].origin;
    const std::int64_t offset = point.empty() ? 0 : point.begin()->second.offset / m_tiling.strideOf(pack.order.back());
    InstructionId at;
    for (const auto &[counter, stride] : row)
        at = sumTerm(origin, at, counter, stride);
    if (offset != 0 || !at.isValid()) {
        const InstructionId further = m_builder.index(origin, offset);
        at = at.isValid() ? m_builder.alu(origin, Op::Add, {at, further}) : further;
    }
    m_builder.store(origin, m_scratch.at(&pack), at, widened(origin, valueAt(pack.load, point), lanesOf(point)));
}

// Which index of a part of a tile the tile's element at this offset of the unsplit axis has.
std::int64_t KernelLowering::partOfTile(AxisId part, std::int64_t offset) const
{
    const AxisId tile = m_tiling.tileOf(m_tiling.unsplit(part));
    if (part == tile)
        return offset / m_tiling.strideOf(tile);
    const AxisId source = m_nest.axes[part.value].source;
    const AxisId outer = m_tiling.partsOf(source)->outer;
    const std::int64_t factor = m_nest.axes[outer.value].factor;
    const std::int64_t whole = partOfTile(source, offset);
    return part == outer ? whole / factor : whole % factor;
}

// Where the chunks of the point, each of one index, lie in the copy.
std::int64_t KernelLowering::placeInPack(const Pack &pack, const Point &point) const
{
    std::int64_t place = 0;
    for (const auto &[axis, stride] : packLayout(pack)) {
        if (!axis.isValid())
            continue;
        const AxisId whole = m_tiling.unsplit(axis);
        const auto chunk = point.find(whole);
        const AxisId tile = m_tiling.tileOf(whole);
        if (chunk == point.end() || !tile.isValid())
            continue;
        if (m_tiling.isPartOf(tile, axis))
            place += chunk->second.offset / m_tiling.strideOf(axis) * stride;
        else if (m_tiling.isPartOf(axis, tile))
            place += partOfTile(axis, chunk->second.offset) * stride;
    }
    return place;
}

// The index of the point in the copy. What the loops inside of the copy add to an axis counts in steps of the part of it that
// indexes the copy.
KernelLowering::IndexParts KernelLowering::packedIndex(const Pack &pack, const Copy &copy, const Point &point)
{
    const Origin &origin = m_nest.values[pack.load.value].origin;
    const std::uint32_t lanes = lanesOf(point);
    IndexParts at{.base = {}};
    for (const auto &[axis, stride] : packLayout(pack)) {
        if (!axis.isValid())
            continue;
        const AxisId whole = m_tiling.unsplit(axis);
        const std::int64_t part = m_tiling.strideOf(axis);
        for (std::size_t i = copy.start[whole.value]; i < m_axes[whole.value].size(); ++i) {
            const IndexTerm term = m_axes[whole.value][i];
            if (!m_tiling.isPartOf(term.part, axis))
                continue;
            const std::int64_t step = term.stride / part * stride;
            if (!term.counter.isValid()) {
                at.constant += step;
                continue;
            }
            at.base = sumTerm(origin, at.base, term.counter, step);
            at.isAligned = at.isAligned && step % lanes == 0;
        }
    }
    at.constant += placeInPack(pack, laneOf(point, 0));
    const std::int64_t first = placeInPack(pack, laneOf(point, 0));
    const std::uint32_t existing = lanes - missingOf(point);
    at.coefficient = existing == 1 ? 1 : 0; // of one lane, nothing can be told
    for (std::uint32_t lane = 1; lane < existing; ++lane) {
        const std::int64_t further = placeInPack(pack, laneOf(point, lane)) - first;
        at.coefficient = lane == 1 ? further : at.coefficient;
        at.isLinear = at.isLinear && further == at.coefficient * lane;
    }
    at.isAligned = at.isAligned && at.constant % lanes == 0;
    return at;
}

InstructionId KernelLowering::packedLoad(ValueId id, const Copy &copy, const Point &point)
{
    const Origin &origin = m_nest.values[id.value].origin;
    const std::uint32_t lanes = lanesOf(point);
    const IndexParts parts = packedIndex(packOf(id), copy, point);
    if (lanes > 1 && (!parts.isLinear || parts.coefficient != 1))
        return laneByLane(id, point);
    InstructionId at = parts.base;
    if (parts.constant != 0 || !at.isValid()) {
        const InstructionId offset = m_builder.index(origin, parts.constant);
        at = at.isValid() ? m_builder.alu(origin, Op::Add, {at, offset}) : offset;
    }
    if (missingOf(point) > 0 && !hasRoomForMasked(packOf(id)))
        return loadWhere(origin, copy.scratch, at, InstructionId(), m_nest.values[id.value], point);
    return m_builder.load(origin, copy.scratch, at, lanes, {.isAligned = lanes > 1 && parts.isAligned});
}

} // namespace sw
