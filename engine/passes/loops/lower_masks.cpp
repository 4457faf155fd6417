// Vectors whose last lanes have no index: what a tile leaves over, as one vector of as many lanes as the others. Such lanes are
// not loaded or stored; what is computed in them, nobody reads.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sw {

std::uint32_t KernelLowering::missingOf(const Point &point)
{
    std::uint32_t missing = 0;
    for (const auto &[axis, chunk] : point)
        missing = std::max(missing, chunk.missing);
    return missing;
}

// One lane; where it has no index, the last that has one.
Point KernelLowering::existingLaneOf(const Point &point, std::uint32_t lane)
{
    for (const auto &[axis, chunk] : point)
        if (chunk.missing > 0)
            lane = std::min(lane, chunk.lanes - chunk.missing - 1);
    return laneOf(point, lane);
}

InstructionId KernelLowering::existingLanes(const Origin &origin, const Point &point)
{
    const std::uint32_t lanes = lanesOf(point);
    const std::uint32_t existing = lanes - missingOf(point);
    std::vector<Scalar> exist;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        exist.push_back(Scalar::ofBool(lane < existing));
    return m_builder.vconst(origin, std::move(exist));
}

// Loads the lanes that have an index and for which `valid` holds (invalid: it does for all), and the load's constant elsewhere.
InstructionId KernelLowering::loadWhere(const Origin &origin, InstructionId memory, InstructionId at, InstructionId valid,
                                        const Value &value, const Point &point)
{
    const std::uint32_t lanes = lanesOf(point);
    if (valid.isValid())
        valid = widened(origin, valid, lanes);
    if (missingOf(point) > 0) {
        const InstructionId exist = existingLanes(origin, point);
        valid = valid.isValid() ? m_builder.alu(origin, Op::And, {valid, exist}) : exist;
    }
    const Scalar otherwise = value.conditions.empty() ? Scalar::of(value.dtype, std::int64_t{0}) : value.constant;
    return m_builder.maskedLoad(origin, memory, at, valid, m_builder.constant(origin, otherwise, lanes));
}

// The value as it is, or in smaller and smaller vectors if some of its lanes have no index.
std::vector<KernelLowering::StoredPart> KernelLowering::storedParts(const Origin &origin, InstructionId value, const Point &point)
{
    const std::uint32_t missing = missingOf(point);
    if (missing == 0)
        return {{point, value}};
    const std::uint32_t existing = lanesOf(point) - missing;
    std::vector<StoredPart> parts;
    for (std::uint32_t first = 0; first < existing;) {
        const std::uint32_t count = std::bit_floor(existing - first);
        StoredPart part{.point = point, .value = {}};
        for (auto &[axis, chunk] : part.point)
            if (chunk.lanes > 1)
                chunk = {.offset = chunk.offset + first * chunk.step, .lanes = count, .step = chunk.step};
        std::vector<std::uint32_t> lanes(count);
        for (std::uint32_t lane = 0; lane < count; ++lane)
            lanes[lane] = first + lane;
        part.value = count == 1 ? m_builder.gep(origin, value, first) : m_builder.shuffle(origin, value, value, lanes);
        parts.push_back(std::move(part));
        first += count;
    }
    return parts;
}

} // namespace sw
