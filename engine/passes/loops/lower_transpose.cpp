// Copies of what loads read, where the source runs along the steps and the copy along the rows: in blocks of four steps, which
// registers transpose. Element by element, every step would touch every row's cache line again.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kBlock = 4;      // steps that are transposed at once
constexpr std::size_t kMostCopied = 16; // elements that are copied at once: of the longest vector that OpenCL has

using Lanes = std::vector<std::uint32_t>;

// All lanes of a, then all of b.
Lanes allOfBoth(std::uint32_t lanes)
{
    Lanes picked(2 * lanes);
    for (std::uint32_t i = 0; i < picked.size(); ++i)
        picked[i] = i;
    return picked;
}

// In every group of four lanes: these four, of the group's four of a (0 to 3) and of b (4 to 7).
Lanes inGroups(std::uint32_t lanes, const std::array<std::uint32_t, 4> &four)
{
    Lanes picked;
    for (std::uint32_t group = 0; group < lanes; group += 4)
        for (const std::uint32_t lane : four)
            picked.push_back(lane < 4 ? group + lane : lanes + group + lane - 4);
    return picked;
}

} // namespace

std::optional<std::int64_t> KernelLowering::strideInSource(const Pack &pack, AxisId axis) const
{
    const Value &value = m_nest.values[pack.load.value];
    const IndexArena::Sum sum = m_nest.arena.sumOf(value.index);
    const bool isAffine =
        std::ranges::all_of(sum.terms, [&](const auto &term) { return m_nest.arena.at(term.second).kind == ExprKind::Axis; });
    if (!value.buffer.isValid() || !value.conditions.empty() || !isAffine || value.dtype == DType::Bool)
        return std::nullopt;
    std::int64_t stride = 0;
    for (const auto &[factor, part] : sum.terms)
        if (m_nest.arena.at(part).axis == m_tiling.unsplit(axis))
            stride += factor * m_tiling.strideOf(axis);
    return stride;
}

std::vector<Point> KernelLowering::runsAlongSource(const Pack &pack, std::vector<Point> points) const
{
    const AxisId last = pack.order.back();
    const AxisId whole = m_tiling.unsplit(last);
    const Value &value = m_nest.values[pack.load.value];
    const ScheduledDevice &device = m_schedule.device(m_schedule.kernel(m_nest.kernel).device);
    const auto isNext = [&](std::size_t i) {
        const Chunk &chunk = points[i].begin()->second;
        return points[i].size() == 1 && points[i].begin()->first == whole && chunk.lanes == 1 &&
               chunk.offset == points.front().begin()->second.offset + static_cast<std::int64_t>(i);
    };
    if (strideInSource(pack, last) != 1 || m_tiling.strideOf(last) != 1)
        return points;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].empty() || !isNext(i))
            return points;
    const std::size_t lanes =
        std::clamp<std::size_t>(static_cast<std::size_t>(device.vectorBytes) / bytesOf(value.dtype), 1, kMostCopied);
    std::vector<Point> runs;
    for (std::size_t i = 0; i < points.size();) {
        const std::size_t count = std::min(std::bit_floor(points.size() - i), lanes);
        runs.push_back({{whole, Chunk{.offset = points[i].begin()->second.offset, .lanes = static_cast<std::uint32_t>(count)}}});
        i += count;
    }
    return runs;
}

KernelLowering::SourceRun KernelLowering::runToTranspose(const Pack &pack) const
{
    const AxisId last = pack.order.back();
    const std::vector<Chunk> chunks = m_tiling.chunksOf(last, m_extents[last.value]);
    const bool isInGroups = std::ranges::all_of(chunks, [](const Chunk &chunk) { return chunk.lanes % 4 == 0; });
    const std::optional<std::int64_t> stride = strideInSource(pack, last);
    if (!isInGroups || !stride || *stride == 0 || *stride == 1)
        return {};
    SourceRun run;
    for (auto axis = pack.order.rbegin() + 1; axis != pack.order.rend(); ++axis) {
        const bool isWhole = m_isFixed[axis->value] == 0 && !hasEnd(*axis);
        if (!isWhole || strideInSource(pack, *axis) != run.steps)
            break;
        run.axes.push_back(*axis);
        run.steps *= m_extents[axis->value];
        if (m_extents[axis->value] != m_nest.axes[axis->value].extent)
            break; // in the rest of a split the copy goes on behind it
    }
    return run.steps >= kBlock ? run : SourceRun();
}

// row: the counters of the loops around, with their strides in the copy.
void KernelLowering::emitTransposed(const Pack &pack, const SourceRun &run,
                                    std::span<const std::pair<InstructionId, std::int64_t>> row, std::span<const Point> points)
{
    const Origin &origin = m_nest.values[pack.load.value].origin;
    const AxisId innermost = run.axes.front();
    std::int64_t step = 1; // from one step to the next, in the copy
    for (const auto &[axis, stride] : packLayout(pack))
        if (axis == innermost)
            step = stride;
    std::vector<IndexTerm> &terms = m_axes[m_tiling.unsplit(innermost).value];
    const auto blocksFrom = [&](InstructionId counter, std::int64_t first) {
        terms.push_back({counter, (counter.isValid() ? kBlock : first) * m_tiling.strideOf(innermost), innermost});
        InstructionId at;
        for (const auto &[outer, stride] : row)
            at = sumTerm(origin, at, outer, stride);
        if (counter.isValid())
            at = sumTerm(origin, at, counter, kBlock * step);
        for (const Point &point : points)
            emitTransposedBlock(pack, point, at, first * step, step);
        terms.pop_back();
    };
    const std::int64_t blocks = run.steps / kBlock;
    if (blocks > 1) {
        const InstructionId counter = m_builder.beginRange(origin, blocks, m_nest.axes[innermost.value].name);
        withScope([&] { blocksFrom(counter, 0); });
        m_builder.endRange(origin);
    } else {
        withScope([&] { blocksFrom(InstructionId(), 0); });
    }
    // The last block goes over some steps again.
    if (run.steps % kBlock != 0)
        withScope([&] { blocksFrom(InstructionId(), run.steps - kBlock); });
}

// Four steps of the rows of a chunk. Four elements of a row are read at once; vector j has rows j, 4 + j, 8 + j, ..., and then
// each group of four lanes is transposed like a matrix of 4 x 4.
void KernelLowering::emitTransposedBlock(const Pack &pack, const Point &point, InstructionId at, std::int64_t offset,
                                         std::int64_t step)
{
    const Value &value = m_nest.values[pack.load.value];
    const Origin &origin = value.origin;
    const std::uint32_t lanes = lanesOf(point);
    const std::uint32_t groups = lanes / 4;
    std::array<InstructionId, 4> mixed;
    for (std::uint32_t j = 0; j < 4; ++j) {
        std::vector<InstructionId> parts;
        for (std::uint32_t group = 0; group < groups; ++group) {
            const InstructionId from = scalarIndex(origin, value.index, existingLaneOf(point, 4 * group + j));
            parts.push_back(m_builder.load(origin, m_memory.at(value.buffer), from, 4));
        }
        for (; parts.size() > 1; parts.resize(parts.size() / 2))
            for (std::size_t i = 0; i < parts.size() / 2; ++i)
                parts[i] = m_builder.shuffle(origin, parts[2 * i], parts[2 * i + 1], allOfBoth(m_builder.at(parts[2 * i]).lanes));
        mixed.at(j) = parts.front();
    }
    const auto mix = [&](InstructionId a, InstructionId b, const std::array<std::uint32_t, 4> &four) {
        return m_builder.shuffle(origin, a, b, inGroups(lanes, four));
    };
    const InstructionId low01 = mix(mixed[0], mixed[1], {0, 4, 1, 5});
    const InstructionId high01 = mix(mixed[0], mixed[1], {2, 6, 3, 7});
    const InstructionId low23 = mix(mixed[2], mixed[3], {0, 4, 1, 5});
    const InstructionId high23 = mix(mixed[2], mixed[3], {2, 6, 3, 7});
    const std::array rows = {mix(low01, low23, {0, 1, 4, 5}), mix(low01, low23, {2, 3, 6, 7}), mix(high01, high23, {0, 1, 4, 5}),
                             mix(high01, high23, {2, 3, 6, 7})};
    const std::int64_t first = point.begin()->second.offset / m_tiling.strideOf(pack.order.back());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t further = offset + first + static_cast<std::int64_t>(i) * step;
        InstructionId place = at;
        if (further != 0 || !place.isValid()) {
            const InstructionId constant = m_builder.index(origin, further);
            place = place.isValid() ? m_builder.alu(origin, Op::Add, {place, constant}) : constant;
        }
        m_builder.store(origin, m_scratch.at(&pack), place, rows.at(i));
    }
}

} // namespace sw
