// Loads of lanes that lie a few elements apart: see spread_loads.h.

#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace sw {

// Whether the load is read so. One with conditions is not: each lane would have its own.
bool KernelLowering::isSpread(const Value &value, const IndexParts &parts, const Point &point) const
{
    return value.conditions.empty() && value.dtype != DType::Bool && parts.isLinear &&
           isReadSpread(parts.coefficient, lanesOf(point));
}

// The lanes are `step` elements apart, from `at` on. Nothing behind the last one is touched: the last vector ends with it, and
// reads again some of what the one before has read.
InstructionId KernelLowering::spreadLoad(const Value &value, InstructionId memory, InstructionId at, std::int64_t step,
                                         const Point &point)
{
    const Origin &origin = value.origin;
    const std::int64_t lanes = lanesOf(point);
    const std::int64_t existing = lanes - missingOf(point);
    const std::int64_t span = (existing - 1) * step + 1;
    const auto width = static_cast<std::uint32_t>(lanes);
    std::vector<std::uint32_t> picks(width, 0); // lanes that have no index take any
    if (span <= lanes) {
        std::vector<Scalar> exist;
        for (std::int64_t element = 0; element < lanes; ++element)
            exist.push_back(Scalar::ofBool(element < span));
        const InstructionId zero = m_builder.constant(origin, Scalar::of(value.dtype, std::int64_t{0}), width);
        const InstructionId all = m_builder.maskedLoad(origin, memory, at, m_builder.vconst(origin, std::move(exist)), zero);
        for (std::int64_t lane = 0; lane < existing; ++lane)
            picks[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(lane * step);
        return m_builder.shuffle(origin, all, all, picks);
    }
    InstructionId picked = m_builder.load(origin, memory, at, width);
    std::int64_t done = lanes; // so many elements are read
    for (bool isPicked = false; done < span; isPicked = true) {
        const std::int64_t start = std::min(done, span - lanes);
        const InstructionId from = m_builder.alu(origin, Op::Add, {at, m_builder.index(origin, start)});
        const InstructionId next = m_builder.load(origin, memory, from, width);
        for (std::int64_t lane = 0; lane < existing; ++lane) {
            const std::int64_t element = lane * step;
            const std::int64_t before = isPicked ? lane : element;
            const std::int64_t place = element < done ? before : lanes + element - start;
            if (element < start + lanes) // else a later vector has it
                picks[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(place);
        }
        picked = m_builder.shuffle(origin, picked, next, picks);
        done = start + lanes;
    }
    return picked;
}

// Whether quotients and remainders become even when every second lane is left out, once or twice.
bool KernelLowering::isEvenInHalves(ExprId index, const Point &point) const
{
    return std::ranges::all_of(m_nest.arena.sumOf(index).terms, [&](const auto &each) {
        const IndexExpr &term = m_nest.arena.at(each.second);
        const bool moves = std::ranges::any_of(
            point, [&](const auto &at) { return at.second.lanes > 1 && m_nest.arena.dependsOn(each.second, at.first); });
        if (!moves || term.kind == ExprKind::Axis || goesByBlocks(term, point) || stepInBlock(term, point) != 0)
            return true;
        const std::int64_t step = laneStep(term.a, point);
        return step > 0 && term.number % step == 0 && isReadInTurns(term.number / step);
    });
}

// Lanes that read from two places in turn, as the columns of an image do whose even and odd columns are stored apart: the even
// lanes are read as one vector and the odd ones as another, and a shuffle puts them together. Nothing: the lanes are not such.
std::optional<InstructionId> KernelLowering::interleavedLoad(ValueId id, const Point &point)
{
    const Value &value = m_nest.values[id.value];
    const std::uint32_t lanes = lanesOf(point);
    const std::uint32_t existing = lanes - missingOf(point);
    if (lanes < kLeastSpreadLanes || lanes % 2 != 0 || existing < 2 || value.dtype == DType::Bool ||
        !isEvenInHalves(value.index, point))
        return std::nullopt;
    std::array<InstructionId, 2> halves;
    for (std::uint32_t half = 0; half < 2; ++half) {
        Point every = point;
        for (auto &[axis, chunk] : every)
            if (chunk.lanes > 1)
                chunk = {.offset = chunk.offset + half * chunk.step,
                         .lanes = lanes / 2,
                         .step = 2 * chunk.step,
                         .missing = lanes / 2 - (existing + 1 - half) / 2};
        halves.at(half) = widened(value.origin, valueAt(id, every), lanes / 2);
    }
    std::vector<std::uint32_t> inTurn;
    for (std::uint32_t lane = 0; lane < lanes / 2; ++lane)
        inTurn.insert(inTurn.end(), {lane, lanes / 2 + lane});
    return m_builder.shuffle(value.origin, halves[0], halves[1], std::move(inTurn));
}

} // namespace sw
