#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// The accumulators of one point of the domain: one per lane count and position in the reduction's tile.
struct Slot {
    std::int64_t position = 0;
    std::uint32_t lanes = 1;
    auto operator<=>(const Slot &) const = default;
};

Slot slotOf(const Chunk &chunk, std::uint32_t fullLanes)
{
    // The rest of a split reuses the accumulators of whole vectors; narrower chunks have their own, one per lane count.
    return chunk.lanes == fullLanes ? Slot{chunk.offset, chunk.lanes} : Slot{-1, chunk.lanes};
}

} // namespace

// Pairwise, as a tree.
InstructionId KernelLowering::combined(const Reduction &reduction, std::vector<InstructionId> parts)
{
    while (parts.size() > 1) {
        std::vector<InstructionId> half;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
            half.push_back(m_builder.alu(reduction.origin, reduction.op, {parts[i], parts[i + 1]}));
        if (parts.size() % 2 == 1)
            half.push_back(parts.back());
        parts = std::move(half);
    }
    return parts.front();
}

InstructionId KernelLowering::horizontal(const Reduction &reduction, InstructionId vector)
{
    std::vector<InstructionId> lanes;
    for (std::uint32_t lane = 0; lane < m_builder.at(vector).lanes; ++lane)
        lanes.push_back(m_builder.gep(reduction.origin, vector, lane));
    return combined(reduction, std::move(lanes));
}

void KernelLowering::emitReduction(ReductionId id, const Point &outer)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const ValueId result = m_reductionValues.at(id);

    // The points of the domain's tiles that the result differs over; those that are given already stay as they are.
    std::vector<Point> points = pointsOver(m_dependencies[result.value]);
    std::erase_if(points, [&](const Point &point) {
        return std::ranges::any_of(outer, [&](const auto &given) {
            const auto own = point.find(given.first);
            return own != point.end() && own->second != given.second;
        });
    });
    if (!outer.empty())
        points = {restricted(outer, m_dependencies[result.value])};

    AxisId tile;
    for (const AxisId axis : reduction.axes)
        if (m_tiling.tileOf(axis).isValid())
            tile = m_tiling.tileOf(axis);
    std::vector<std::int64_t> tileExtents{tile.isValid() ? m_nest.axes[tile.value].extent : 1};
    if (tile.isValid() && m_nest.axes[tile.value].source.isValid()) {
        const std::int64_t rest = m_nest.axes[m_nest.axes[tile.value].source.value].extent % tileExtents[0];
        if (rest != 0)
            tileExtents.push_back(rest);
    }
    const auto chunksOf = [&](std::int64_t extent) {
        return tile.isValid() ? m_tiling.chunksOf(tile, extent) : std::vector<Chunk>{Chunk{}};
    };
    const std::uint32_t fullLanes = chunksOf(tileExtents[0]).front().lanes;

    // Of the element type, which may have fewer values than the type that it is gathered in.
    const Scalar identity = identityOf(reduction.op, m_schedule.graph->node(reduction.node).dtype).castTo(reduction.dtype);
    std::vector<std::map<Slot, InstructionId>> accumulators(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint32_t outerLanes = lanesOf(points[i]);
        for (const std::int64_t extent : tileExtents) {
            for (const Chunk &chunk : chunksOf(extent)) {
                const Slot slot = slotOf(chunk, fullLanes);
                if (accumulators[i].contains(slot))
                    continue;
                const std::uint32_t lanes = std::max(outerLanes, slot.lanes);
                const InstructionId accumulator = m_builder.acc(origin, reduction.dtype, lanes, "acc");
                m_builder.assign(origin, accumulator, m_builder.constant(origin, identity, lanes));
                accumulators[i].emplace(slot, accumulator);
            }
        }
    }

    const auto step = [&] {
        const std::vector<Chunk> chunks = chunksOf(tile.isValid() ? m_extents[tile.value] : 1);
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (const Chunk &chunk : chunks) {
                Point point = points[i];
                if (tile.isValid())
                    point[m_tiling.unsplit(tile)] = chunk;
                const InstructionId accumulator = accumulators[i].at(slotOf(chunk, fullLanes));
                const InstructionId value = widened(origin, valueAt(reduction.body, point), m_builder.at(accumulator).lanes);
                m_builder.assign(origin, accumulator, m_builder.alu(origin, reduction.op, {accumulator, value}));
            }
        }
    };
    emitLoops(m_tiling.loopsOf(reduction.order), 0, [](std::size_t) {}, step);

    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint32_t outerLanes = lanesOf(points[i]);
        std::map<std::uint32_t, std::vector<InstructionId>> byLanes;
        for (const auto &[slot, accumulator] : accumulators[i])
            byLanes[m_builder.at(accumulator).lanes].push_back(accumulator);
        std::vector<InstructionId> parts;
        for (auto &[lanes, same] : byLanes) {
            const InstructionId one = combined(reduction, std::move(same));
            parts.push_back(lanes > outerLanes ? horizontal(reduction, one) : one);
        }
        m_scopes.back().cache[keyOf(result, points[i])] = combined(reduction, std::move(parts));
    }
}

void KernelLowering::emitStore(std::size_t store)
{
    const StoreStatement &statement = m_nest.stores[store];
    const Origin &origin = statement.origin;
    const InstructionId memory = m_memory.at(statement.buffer);
    std::vector<AxisId> axes = m_nest.arena.axesOf(statement.index);
    for (const Point &point : pointsOver(axes)) {
        const std::uint32_t lanes = lanesOf(point);
        const InstructionId value = widened(origin, valueAt(statement.value, point), lanes);
        const IndexParts parts = indexParts(origin, statement.index, point);
        if (lanes == 1 || (parts.isLinear && parts.coefficient == 1)) {
            const bool isAligned = lanes > 1 && isMultipleOf(statement.index, point, lanes);
            const MemoryHint hint =
                isAligned && statement.policy == MemoryPolicy::NonTemporal ? MemoryHint::NonTemporal : MemoryHint::None;
            m_builder.store(origin, memory, scalarIndex(origin, statement.index, point), value,
                            {.isAligned = isAligned, .hint = hint});
            continue;
        }
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            Point single = point;
            for (auto &[axis, chunk] : single)
                if (chunk.lanes > 1)
                    chunk = {chunk.offset + lane, 1};
            m_builder.store(origin, memory, scalarIndex(origin, statement.index, single), m_builder.gep(origin, value, lane));
        }
    }
}

// The axes that index a pack's copy, with their strides in it.
std::vector<std::pair<AxisId, std::int64_t>> KernelLowering::packLayout(const Pack &pack) const
{
    std::vector<std::pair<AxisId, std::int64_t>> layout;
    std::int64_t stride = 1;
    for (std::size_t i = pack.order.size(); i-- > 0;) {
        layout.emplace_back(pack.order[i], stride);
        stride *= m_nest.axes[pack.order[i].value].extent;
    }
    layout.emplace_back(AxisId(), stride); // the size of the whole copy
    return layout;
}

void KernelLowering::emitPack(const Pack &pack)
{
    const Value &value = m_nest.values[pack.load.value];
    const InstructionId scratch = m_scratch.at(&pack);
    const auto layout = packLayout(pack);
    // Reduction axes become plain loops here; the innermost axis of the copy is the tile that is read as vectors.
    const AxisId tile = pack.order.back();
    std::vector<AxisId> loops(pack.order.begin(), pack.order.end() - 1);
    withScope([&] {
        std::vector<InstructionId> counters;
        for (const AxisId axis : loops) {
            counters.push_back(m_builder.beginRange(value.origin, m_nest.axes[axis.value].extent, m_nest.axes[axis.value].name));
            m_axes[m_tiling.unsplit(axis).value].terms.emplace_back(counters.back(), m_tiling.strideOf(axis));
        }
        for (const Chunk &chunk : m_tiling.chunksOf(tile, m_extents[tile.value])) {
            InstructionId at;
            for (std::size_t i = 0; i < loops.size(); ++i)
                at = sumTerm(value.origin, at, counters[i], layout[layout.size() - 2 - i].second);
            if (chunk.offset != 0 || !at.isValid()) {
                const InstructionId offset = m_builder.index(value.origin, chunk.offset);
                at = at.isValid() ? m_builder.alu(value.origin, Op::Add, {at, offset}) : offset;
            }
            Point point;
            point[m_tiling.unsplit(tile)] = chunk;
            const InstructionId loaded = widened(value.origin, valueAt(pack.load, point), chunk.lanes);
            m_builder.store(value.origin, scratch, at, loaded);
        }
        for (std::size_t i = loops.size(); i-- > 0;) {
            m_builder.endRange(value.origin);
            m_axes[m_tiling.unsplit(loops[i]).value].terms.pop_back();
        }
    });
    m_scopes.back().packs[pack.load] = scratch;
}

InstructionId KernelLowering::packedLoad(ValueId id, InstructionId scratch, const Point &point)
{
    const Value &value = m_nest.values[id.value];
    const Pack &pack = *std::ranges::find_if(m_nest.packs, [&](const Pack &candidate) { return candidate.load == id; });
    InstructionId at;
    std::int64_t constant = 0;
    std::uint32_t lanes = 1;
    for (const auto &[axis, stride] : packLayout(pack)) {
        if (!axis.isValid())
            continue;
        const AxisId whole = m_tiling.unsplit(axis);
        const auto chunk = point.find(whole);
        if (axis == pack.order.back()) { // counted from the start of the tile
            SW_ASSERT(chunk != point.end(), "a packed load that is read at a chunk of its tile");
            constant += chunk->second.offset;
            lanes = chunk->second.lanes;
            continue;
        }
        for (const auto &[counter, step] : m_axes[whole.value].terms)
            at = sumTerm(value.origin, at, counter, step * stride);
        constant += m_axes[whole.value].constant * stride;
        if (chunk != point.end())
            constant += chunk->second.offset * stride;
    }
    if (constant != 0 || !at.isValid()) {
        const InstructionId offset = m_builder.index(value.origin, constant);
        at = at.isValid() ? m_builder.alu(value.origin, Op::Add, {at, offset}) : offset;
    }
    const std::int64_t width = m_nest.axes[pack.order.back().value].extent;
    const bool isAligned = lanes > 1 && width % lanes == 0 && constant % lanes == 0;
    return m_builder.load(value.origin, scratch, at, lanes, {.isAligned = isAligned});
}

} // namespace sw
