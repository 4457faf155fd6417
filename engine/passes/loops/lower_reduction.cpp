#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// Selects an accumulator of one point of the domain: there is one per lane count and position in the reduction's tile.
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

// Combines the parts pairwise, as a tree.
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

// Each item of a group has a part. In every round the first half of the remaining items take over the second half's parts.
InstructionId KernelLowering::overGroup(ReductionId id, InstructionId part)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const InstructionId memory = m_shared.at(id);
    const std::uint32_t lanes = m_builder.at(part).lanes;
    const AccessOptions options{.isAligned = lanes > 1};
    m_builder.beginBlock(origin, format("{} over the group", nameOf(reduction.op)));
    const auto placeOf = [&](InstructionId item, std::int64_t further) {
        if (lanes != 1)
            item = m_builder.alu(origin, Op::Mul, {item, m_builder.index(origin, lanes)});
        return further == 0 ? item : m_builder.alu(origin, Op::Add, {item, m_builder.index(origin, further * lanes)});
    };
    m_builder.store(origin, memory, placeOf(m_groupItem, 0), part, options);
    m_builder.barrier(origin);
    for (std::int64_t left = m_groupItems; left > 1; left = (left + 1) / 2) {
        const std::int64_t half = (left + 1) / 2;
        m_builder.beginIf(origin, m_builder.alu(origin, Op::Cmplt, {m_groupItem, m_builder.index(origin, left - half)}));
        const InstructionId own = m_builder.load(origin, memory, placeOf(m_groupItem, 0), lanes, options);
        const InstructionId other = m_builder.load(origin, memory, placeOf(m_groupItem, half), lanes, options);
        m_builder.store(origin, memory, placeOf(m_groupItem, 0), m_builder.alu(origin, reduction.op, {own, other}), options);
        m_builder.endIf(origin);
        m_builder.barrier(origin);
    }
    const InstructionId whole = m_builder.load(origin, memory, m_builder.index(origin, 0), lanes, options);
    m_builder.barrier(origin); // before the memory is used again
    m_builder.endBlock(origin);
    return whole;
}

// Adds the product of a tile of rows by a tile of columns to the sums. For each vector of columns, the points that have it are
// the rows.
void KernelLowering::emitTileStep(ReductionId id, const std::vector<Point> &points, const std::vector<InstructionId> &sums,
                                  const std::vector<Chunk> &chunks)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const TileRoles roles = tileRolesOf(m_nest, id);
    AxisId stepped;
    for (const AxisId axis : reduction.axes)
        if (m_tiling.tileOf(axis).isValid())
            stepped = axis;
    std::map<Chunk, std::vector<std::size_t>> rowsOf;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto columns = points[i].find(roles.columns);
        rowsOf[columns != points[i].end() ? columns->second : Chunk{}].push_back(i);
    }
    const auto addLanes = [&](std::vector<InstructionId> &lanes, InstructionId value) {
        const std::uint32_t count = m_builder.at(value).lanes;
        for (std::uint32_t lane = 0; lane < count; ++lane)
            lanes.push_back(count == 1 ? value : m_builder.gep(origin, value, lane));
    };
    const auto packed = [&](std::vector<InstructionId> lanes) {
        return lanes.size() == 1 ? lanes.front() : m_builder.vectorize(origin, std::move(lanes));
    };
    const auto at = [&](std::size_t point, const Chunk &chunk) {
        Point made = points[point];
        if (stepped.isValid())
            made[stepped] = chunk;
        return made;
    };
    for (const auto &[columns, rows] : rowsOf) {
        std::vector<InstructionId> a;
        std::vector<InstructionId> b;
        std::vector<InstructionId> c;
        for (const std::size_t row : rows) {
            for (const Chunk &chunk : chunks)
                a.push_back(valueAt(roles.a, at(row, chunk)));
            addLanes(c, sums[row]);
        }
        for (const Chunk &chunk : chunks)
            addLanes(b, widened(origin, valueAt(roles.b, at(rows.front(), chunk)), columns.lanes));
        const InstructionId tile = m_builder.wmma(origin, packed(std::move(a)), packed(std::move(b)), packed(std::move(c)),
                                                  static_cast<std::int64_t>(rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::vector<InstructionId> lanes;
            for (std::uint32_t lane = 0; lane < columns.lanes; ++lane)
                lanes.push_back(m_builder.at(tile).lanes == 1
                                    ? tile
                                    : m_builder.gep(origin, tile, static_cast<std::uint32_t>(i) * columns.lanes + lane));
            m_builder.assign(origin, sums[rows[i]], packed(std::move(lanes)));
        }
    }
}

void KernelLowering::emitReduction(ReductionId id, const Point &outer)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const ValueId result = m_reductionValues.at(id);

    // The points of the domain's tiles over which the result differs; chunks that `outer` gives already stay as they are.
    std::vector<Point> points = pointsOver(m_dependencies[result.value]);
    std::erase_if(points, [&](const Point &point) {
        return std::ranges::any_of(outer, [&](const auto &given) {
            const auto own = point.find(given.first);
            return own != point.end() && own->second != given.second;
        });
    });
    if (!outer.empty())
        points = {restricted(outer, m_dependencies[result.value])};
    if (m_blockPhase == BlockPhase::Clear) {
        clearPartials(reduction, points);
        return;
    }
    if (m_blockPhase == BlockPhase::Read) {
        readPartials(id, points);
        return;
    }

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

    // The identity of the element type, which may have fewer values than the type in which it is reduced.
    const Scalar identity = identityOf(reduction.op, m_schedule.graph->node(reduction.node).dtype).castTo(reduction.dtype);
    std::vector<std::map<Slot, InstructionId>> accumulators(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint32_t outerLanes = lanesOf(points[i]);
        for (const std::int64_t extent : tileExtents) {
            for (const Chunk &chunk : chunksOf(extent)) {
                const Slot slot = reduction.isTiled ? Slot() : slotOf(chunk, fullLanes);
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
        if (reduction.isTiled) {
            std::vector<InstructionId> sums;
            for (const auto &slots : accumulators)
                sums.push_back(slots.begin()->second);
            emitTileStep(id, points, sums, chunks);
            return;
        }
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
        InstructionId whole = combined(reduction, std::move(parts));
        if (m_shared.contains(id))
            whole = overGroup(id, whole);
        if (m_blockPhase == BlockPhase::Add) {
            addToPartial(reduction, whole, points[i]);
            continue;
        }
        m_scopes.back().cache[keyOf(result, points[i])] = whole;
    }
}

// If a group computes the value together, one of its items stores it.
void KernelLowering::emitStore(std::size_t store)
{
    const StoreStatement &statement = m_nest.stores[store];
    const bool isOfGroup = m_groupItems > 1 && m_openGroupAxes == 0;
    if (!isOfGroup) {
        emitPoints(statement);
        return;
    }
    const Origin &origin = statement.origin;
    m_builder.beginIf(origin, m_builder.alu(origin, Op::Cmpeq, {m_groupItem, m_builder.index(origin, 0)}));
    withScope([&] { emitPoints(statement); });
    m_builder.endIf(origin);
}

void KernelLowering::emitPoints(const StoreStatement &statement)
{
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
        const InstructionId places = laneAddresses(origin, memory, statement.index, point);
        m_builder.store(origin, places, m_builder.index(origin, 0), value);
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
    const Standing start = standing();
    // Reduction axes become plain loops here; the innermost axis of the copy is the tile that is read as vectors.
    const AxisId tile = pack.order.back();
    std::vector<AxisId> loops(pack.order.begin(), pack.order.end() - 1);
    const auto isFixed = [&](AxisId axis) { return m_isFixed[axis.value] != 0; }; // in a rest, where it has one index
    m_builder.beginBlock(value.origin, format("copy of argument {}", m_builder.at(m_memory.at(value.buffer)).argument));
    withScope([&] {
        std::vector<InstructionId> counters;
        for (const AxisId axis : loops) {
            if (isFixed(axis)) {
                counters.emplace_back();
                continue;
            }
            counters.push_back(m_builder.beginRange(value.origin, m_extents[axis.value], m_nest.axes[axis.value].name));
            m_axes[m_tiling.unsplit(axis).value].terms.emplace_back(counters.back(), m_tiling.strideOf(axis));
        }
        for (const Chunk &chunk : m_tiling.chunksOf(tile, m_extents[tile.value])) {
            InstructionId at;
            for (std::size_t i = 0; i < loops.size(); ++i)
                if (counters[i].isValid())
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
            if (!counters[i].isValid())
                continue;
            m_builder.endRange(value.origin);
            m_axes[m_tiling.unsplit(loops[i]).value].terms.pop_back();
        }
    });
    m_builder.endBlock(value.origin);
    m_scopes.back().packs[pack.load] = {scratch, start};
}

InstructionId KernelLowering::packedLoad(ValueId id, const Copy &copy, const Point &point)
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
        // What the loops inside of the copy add, in steps of this part of the axis.
        const AxisState &state = m_axes[whole.value];
        const std::int64_t part = m_tiling.strideOf(axis);
        for (std::size_t i = copy.start.terms[whole.value]; i < state.terms.size(); ++i)
            at = sumTerm(value.origin, at, state.terms[i].first, state.terms[i].second / part * stride);
        constant += (state.constant - copy.start.constants[whole.value]) / part * stride;
        if (chunk != point.end() && m_tiling.unsplit(pack.order.back()) != whole)
            constant += chunk->second.offset / part * stride;
    }
    if (constant != 0 || !at.isValid()) {
        const InstructionId offset = m_builder.index(value.origin, constant);
        at = at.isValid() ? m_builder.alu(value.origin, Op::Add, {at, offset}) : offset;
    }
    const std::int64_t width = m_nest.axes[pack.order.back().value].extent;
    const bool isAligned = lanes > 1 && width % lanes == 0 && constant % lanes == 0;
    return m_builder.load(value.origin, copy.scratch, at, lanes, {.isAligned = isAligned});
}

} // namespace sw
