// Loads of lanes that lie a few elements apart: see spread_loads.h.

#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
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

} // namespace sw
