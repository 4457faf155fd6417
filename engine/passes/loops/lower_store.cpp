// Stores of tiles whose vectors lie across the rows of the memory: registers transpose them, so that runs along the rows are
// stored at once. Lane by lane, each element would be a store of its own.

#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/vector_halves.h"

#include <algorithm>
#include <bit>

namespace sw {

namespace {

constexpr std::uint32_t kFewestLanes = 4;

} // namespace

// Transposes blocks of n x n lanes, where n is the number of vectors, a power of two: lane g*n + j of vector i becomes what lane
// g*n + i of vector j was. In each round, halves of blocks change places.
std::vector<InstructionId> KernelLowering::transposed(const Origin &origin, std::vector<InstructionId> vectors)
{
    const std::uint32_t lanes = m_builder.at(vectors.front()).lanes;
    for (std::uint32_t half = 1; half < vectors.size(); half *= 2) {
        std::vector<std::uint32_t> low(lanes);
        std::vector<std::uint32_t> high(lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const bool isUpper = (lane & half) != 0;
            low[lane] = isUpper ? lanes + lane - half : lane;
            high[lane] = isUpper ? lanes + lane : lane + half;
        }
        for (std::uint32_t i = 0; i < vectors.size(); ++i) {
            if ((i & half) != 0)
                continue;
            const InstructionId a = vectors[i];
            const InstructionId b = vectors[i + half];
            vectors[i] = m_builder.shuffle(origin, a, b, low);
            vectors[i + half] = m_builder.shuffle(origin, a, b, high);
        }
    }
    return vectors;
}

// Of vectors whose lanes lie as far apart in memory as there are vectors, a power of two: all their elements in the order of the
// memory. Each round joins the first half of the vectors with the second, lane by lane in turns.
std::vector<InstructionId> KernelLowering::interleaved(const Origin &origin, std::vector<InstructionId> vectors)
{
    const std::uint32_t lanes = m_builder.at(vectors.front()).lanes;
    std::vector<std::uint32_t> low(lanes);
    std::vector<std::uint32_t> high(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        low[lane] = lane / 2 + (lane % 2) * lanes;
        high[lane] = low[lane] + lanes / 2;
    }
    const std::size_t half = vectors.size() / 2;
    for (std::size_t joinedSoFar = 1; joinedSoFar <= half; joinedSoFar *= 2) {
        std::vector<InstructionId> joined;
        for (std::size_t i = 0; i < half; ++i) {
            joined.push_back(m_builder.shuffle(origin, vectors[i], vectors[i + half], low));
            joined.push_back(m_builder.shuffle(origin, vectors[i], vectors[i + half], high));
        }
        vectors = std::move(joined);
    }
    return vectors;
}

// How far apart the lanes of the vector at the point are stored.
std::int64_t KernelLowering::stepOfLanes(const StoreStatement &statement, const Point &point) const
{
    std::int64_t step = 0;
    for (const auto &[axis, chunk] : point) {
        std::int64_t stride = 0;
        if (chunk.lanes > 1 && m_nest.arena.linearIn(statement.index, axis, stride))
            step += stride * chunk.step;
    }
    return step;
}

// The axis that is repeated in registers along the memory, if the vectors of the tile lie across it.
AxisId KernelLowering::rowAxisOf(const StoreStatement &statement, const Point &point) const
{
    AxisId along;
    for (const auto &[axis, chunk] : point) {
        std::int64_t stride = 0;
        if (!m_nest.arena.linearIn(statement.index, axis, stride))
            return AxisId();
        if (chunk.lanes > 1 && (chunk.lanes < kFewestLanes || stride == 1 || chunk.missing > 0))
            return AxisId();
        if (chunk.lanes == 1 && stride == 1 && m_tiling.strideOf(m_tiling.tileOf(axis)) == 1)
            along = axis;
    }
    return along;
}

// Stores the points of one vector that follow each other along the memory: as many as a power of two at a time.
void KernelLowering::storeRows(InstructionId memory, const StoreStatement &statement, std::span<const Point> rows)
{
    const Origin &origin = statement.origin;
    const std::uint32_t lanes = lanesOf(rows.front());
    const std::int64_t vectorBytes = m_schedule.device(m_schedule.kernel(m_nest.kernel).device).vectorBytes;
    const auto elementBytes = static_cast<std::int64_t>(bytesOf(m_nest.values[statement.value.value].dtype));
    const auto longest = static_cast<std::uint32_t>(longestRun(vectorBytes, elementBytes));
    const auto valueOf = [&](const Point &point) { return widened(origin, valueAt(statement.value, point), lanes); };
    const auto take = [&](std::size_t count) {
        std::vector<InstructionId> vectors;
        for (const Point &point : rows.first(count))
            vectors.push_back(valueOf(point));
        rows = rows.subspan(count);
        return vectors;
    };
    while (!rows.empty()) {
        const Point first = rows.front();
        const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(std::bit_floor(rows.size()), lanes));
        if (most > 1 && stepOfLanes(statement, first) == most) {
            const std::vector<InstructionId> runs = interleaved(origin, take(most));
            for (std::uint32_t i = 0; i < most; ++i)
                storeRun(memory, statement, laneOf(first, i * lanes / most), runs[i]);
            continue;
        }
        const std::uint32_t count = std::min(most, longest);
        std::vector<InstructionId> vectors = take(count);
        if (count == 1) {
            storeInto(memory, statement, {first, vectors.front()});
            continue;
        }
        storeTransposedRuns(memory, statement, first, std::move(vectors));
    }
}

// The elements of each lane of the vectors, one behind the other. first: where those of the first vector go.
void KernelLowering::storeTransposedRuns(InstructionId memory, const StoreStatement &statement, const Point &first,
                                         std::vector<InstructionId> vectors)
{
    const Origin &origin = statement.origin;
    const std::uint32_t lanes = lanesOf(first);
    const auto count = static_cast<std::uint32_t>(vectors.size());
    vectors = transposed(origin, std::move(vectors));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        InstructionId run = vectors[lane % count];
        if (count < lanes) {
            std::vector<std::uint32_t> part(count);
            for (std::uint32_t i = 0; i < count; ++i)
                part[i] = lane / count * count + i;
            run = m_builder.shuffle(origin, run, run, part);
        }
        m_builder.store(origin, memory, scalarIndex(origin, statement.index, laneOf(first, lane)), run);
    }
}

// Whether the points were stored so.
bool KernelLowering::storeTransposed(InstructionId memory, const StoreStatement &statement, std::span<const Point> points)
{
    const AxisId along = rowAxisOf(statement, points.front());
    if (!along.isValid() || lanesOf(points.front()) == 1)
        return false;
    const auto isSame = [&](const Point &point) { return rowAxisOf(statement, point) == along; };
    if (!std::ranges::all_of(points, isSame))
        return false;
    std::map<Point, std::vector<Point>> columns; // by the chunks of the other axes
    for (const Point &point : points) {
        Point others = point;
        others.erase(along);
        columns[others].push_back(point);
    }
    for (const auto &[others, rows] : columns)
        storeRows(memory, statement, rows);
    return true;
}

} // namespace sw
