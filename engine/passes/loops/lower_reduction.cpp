#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

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
                                  const std::vector<Point> &steps)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    const Origin &origin = reduction.origin;
    const TileRoles roles = tileRolesOf(m_nest, id);
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
    const auto at = [&](std::size_t point, const Point &step) {
        Point made = points[point];
        made.insert(step.begin(), step.end());
        return made;
    };
    for (const auto &[columns, rows] : rowsOf) {
        std::vector<InstructionId> a;
        std::vector<InstructionId> b;
        std::vector<InstructionId> c;
        for (const std::size_t row : rows) {
            for (const Point &step : steps)
                a.push_back(valueAt(roles.a, at(row, step)));
            addLanes(c, sums[row]);
        }
        for (const Point &step : steps)
            addLanes(b, widened(origin, valueAt(roles.b, at(rows.front(), step)), columns.lanes));
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

// Each point with each chunk of a tile that has one of these extents.
std::vector<Point> KernelLowering::withChunks(const std::vector<Point> &points, AxisId tile,
                                              const std::vector<std::int64_t> &extents) const
{
    std::vector<Point> more;
    for (const Point &point : points) {
        for (const std::int64_t extent : extents) {
            for (const Chunk &chunk : m_tiling.chunksOf(tile, extent)) {
                more.push_back(point);
                more.back()[m_tiling.unsplit(tile)] = chunk;
            }
        }
    }
    return more;
}

WrittenOutSteps KernelLowering::writtenOutSteps(const Reduction &reduction) const
{
    WrittenOutSteps made;
    std::vector<Point> whole{Point{}};
    for (const AxisId axis : reduction.axes) {
        const AxisId tile = m_tiling.tileOf(axis);
        if (!tile.isValid())
            continue;
        made.tiles.push_back(tile);
        made.possible = withChunks(made.possible, tile, m_tiling.extentsOf(tile));
        whole = withChunks(whole, tile, {m_nest.axes[tile.value].extent});
    }
    for (const Point &one : whole)
        made.fullLanes = std::max(made.fullLanes, lanesOf(one));
    return made;
}

std::vector<Point> KernelLowering::stepsNow(const std::vector<AxisId> &tiles) const
{
    std::vector<Point> now{Point{}};
    for (const AxisId tile : tiles)
        now = withChunks(now, tile, {m_extents[tile.value]});
    return now;
}

void KernelLowering::emitReduction(ReductionId id, const Point &outer)
{
    const Reduction &reduction = m_nest.reductions[id.value];
    if (reduction.joined) {
        emitReduction(reduction.joined->leader, outer);
        return;
    }
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
    const std::vector<ReductionId> followers = joinedTo(m_nest, id);
    if (m_blockPhase == BlockPhase::Clear) {
        clearPartials(points);
        return;
    }
    if (m_blockPhase == BlockPhase::Read) {
        readPartials(points);
        return;
    }
    if (!followers.empty()) {
        emitJoined(id, points);
        return;
    }

    if (reduction.instruction) {
        emitTensorReduction(id, points);
        return;
    }

    const auto &[tiles, possible, fullLanes] = writtenOutSteps(reduction);
    // The identity of the element type, which may have fewer values than the type in which it is reduced.
    const Scalar identity = identityOf(reduction.op, m_schedule.graph->node(reduction.node).dtype).castTo(reduction.dtype);
    std::vector<std::map<Slot, InstructionId>> accumulators(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint32_t outerLanes = lanesOf(points[i]);
        for (const Point &one : possible) {
            const Slot slot = reduction.isTiled ? Slot() : slotOf(one, lanesOf(one), fullLanes);
            if (accumulators[i].contains(slot))
                continue;
            const std::uint32_t lanes = std::max(outerLanes, slot.lanes);
            const InstructionId accumulator = m_builder.acc(origin, reduction.dtype, lanes, "acc");
            m_builder.assign(origin, accumulator, m_builder.constant(origin, identity, lanes));
            accumulators[i].emplace(slot, accumulator);
        }
    }

    const auto step = [&] {
        const std::vector<Point> now = stepsNow(tiles);
        if (reduction.isTiled) {
            std::vector<InstructionId> sums;
            for (const auto &slots : accumulators)
                sums.push_back(slots.begin()->second);
            emitTileStep(id, points, sums, now);
            return;
        }
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (const Point &one : now) {
                Point point = points[i];
                point.insert(one.begin(), one.end());
                if (isLeftOut(reduction, point))
                    continue;
                const InstructionId accumulator = accumulators[i].at(slotOf(one, lanesOf(one), fullLanes));
                const InstructionId step = withinEnds(reduction, valueAt(reduction.body, point), point);
                const InstructionId value = widened(origin, step, m_builder.at(accumulator).lanes);
                m_builder.assign(origin, accumulator, m_builder.alu(origin, reduction.op, {accumulator, value}));
            }
        }
    };
    const std::vector<InstructionId> ends = endsBefore(reduction);
    const auto loops = [&] { emitLoops(m_tiling.loopsOf(reduction.order), 0, [](std::size_t) {}, step); };
    if (beginWhereNeeded(id)) {
        withScope(loops);
        m_builder.endIf(origin);
    } else {
        loops();
    }
    m_ends = ends;

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
            addToPartial(id, whole, points[i]);
            continue;
        }
        m_scopes.back().cache[keyOf(result, points[i])] = whole;
    }
}

// If a group computes the value together, one of its items stores it.
void KernelLowering::emitStore(std::size_t store)
{
    const StoreStatement &statement = m_nest.stores[store];
    const Origin &origin = statement.origin;
    const InstructionId isFirst = isFirstInGroup(origin);
    if (!isFirst.isValid()) {
        emitPoints(statement);
        return;
    }
    m_builder.beginIf(origin, isFirst);
    withScope([&] { emitPoints(statement); });
    m_builder.endIf(origin);
}

void KernelLowering::emitPoints(const StoreStatement &statement)
{
    const Origin &origin = statement.origin;
    const std::vector<AxisId> axes = m_nest.arena.axesOf(statement.index);
    if (!statement.buffer.isValid()) {
        for (const Point &point : pointsOver(axes))
            keepValue(statement, point);
        return;
    }
    const InstructionId memory = m_memory.at(statement.buffer);
    const std::vector<AxisId> padded = paddedAxesOf(statement);
    const std::vector<Point> points = pointsOver(axes);
    if (padded.empty() && storeTransposed(memory, statement, points))
        return;
    for (const Point &point : points) {
        if (!padded.empty()) {
            storeExisting(statement, padded, point);
            continue;
        }
        const InstructionId whole = widened(origin, valueAt(statement.value, point), lanesOf(point));
        for (const StoredPart &part : storedParts(origin, whole, point))
            storeInto(memory, statement, part);
    }
}

void KernelLowering::storeInto(InstructionId memory, const StoreStatement &statement, const StoredPart &part)
{
    const Origin &origin = statement.origin;
    const std::uint32_t lanes = lanesOf(part.point);
    const IndexParts parts = indexParts(origin, statement.index, part.point);
    if (lanes == 1 || (parts.isLinear && parts.coefficient == 1)) {
        storeRun(memory, statement, part.point, part.value);
        return;
    }
    const InstructionId places = laneAddresses(origin, memory, statement.index, part.point);
    m_builder.store(origin, places, m_builder.index(origin, 0), part.value);
}

// Stores the lanes of the value one behind the other, the first where the point's first lane belongs.
void KernelLowering::storeRun(InstructionId memory, const StoreStatement &statement, const Point &start, InstructionId value)
{
    const std::uint32_t lanes = m_builder.at(value).lanes;
    const bool isAligned = lanes > 1 && isMultipleOf(statement.index, start, alignedLanes(m_builder.at(value).dtype, lanes));
    const bool isStreamed = isAligned && statement.policy == MemoryPolicy::NonTemporal;
    m_builder.store(statement.origin, memory, scalarIndex(statement.origin, statement.index, start), value,
                    {.isAligned = isAligned, .hint = isStreamed ? MemoryHint::NonTemporal : MemoryHint::None});
}

} // namespace sw
