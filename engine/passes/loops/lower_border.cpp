// Vectors of a padded view. A row of it is padding as a whole, or lies in the buffer but for a few lanes at its ends. Neither
// needs a mask, which a processor may take long for: a Zen 1 needs 15 cycles for a masked load, a Zen 4 160 ns where the address
// of a masked lane is in no page.
//
// Conditions that move with loops alone hold for all lanes or for none. The load reads at the nearest place where they hold,
// which all vectors of a row have in common, and what it read is not used where they do not. Lanes that are known to be padding
// are left out by a shuffle: the load begins with the first lane that is none, or ends with the last one.

#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

// Nothing: a condition moves with loops and lanes, or the index does not move evenly with what a condition is about.
std::optional<KernelLowering::BorderVector> KernelLowering::borderVectorOf(const Value &value, const Point &point)
{
    const std::uint32_t lanes = lanesOf(point);
    IndexArena::Sum rest = m_nest.arena.sumOf(value.index);
    BorderVector made;
    made.end = lanes;
    for (const RangeCondition &condition : value.conditions) {
        const auto [least, most] = boundsAt(condition.expr, point);
        if (isKnownToExist(condition) || (least >= condition.low && most < condition.high))
            continue;
        const IndexParts parts = indexParts(value.origin, condition.expr, point);
        if (parts.isLinear && !parts.base.isValid() && parts.coefficient == 1) {
            made.begin = std::max(made.begin, condition.low - parts.constant);
            made.end = std::min(made.end, condition.high - parts.constant);
            continue;
        }
        if (!parts.isLinear || !parts.base.isValid() || parts.coefficient != 0)
            return std::nullopt;
        // The index is stride * place + rest.
        const IndexArena::Sum place = m_nest.arena.sumOf(condition.expr);
        std::int64_t stride = 0;
        for (const auto &[factor, part] : place.terms) {
            const auto moved = std::ranges::find(rest.terms, part, &IndexArena::Term::second);
            if (moved == rest.terms.end() || moved->first % factor != 0 || (stride != 0 && moved->first / factor != stride))
                return std::nullopt;
            stride = moved->first / factor;
            rest.terms.erase(moved);
        }
        rest.constant -= stride * place.constant;
        InstructionId inside = scalarIndex(value.origin, condition.expr, point);
        if (!isHolding(condition)) {
            inside = m_builder.alu(value.origin, Op::Max, {inside, m_builder.index(value.origin, condition.low)});
            inside = m_builder.alu(value.origin, Op::Min, {inside, m_builder.index(value.origin, condition.high - 1)});
            made.moving.push_back(condition);
        }
        made.at.base = sumTerm(value.origin, made.at.base, inside, stride);
        made.low += std::min(stride * condition.low, stride * (condition.high - 1));
        made.high += std::max(stride * condition.low, stride * (condition.high - 1));
    }
    const auto [least, most] = boundsAt(rest, point);
    made.low += least;
    made.high += most - (static_cast<std::int64_t>(lanes) - 1); // of the first lane
    const IndexParts parts = indexParts(value.origin, rest, point);
    if (parts.base.isValid())
        made.at.base = sumTerm(value.origin, made.at.base, parts.base, 1);
    made.at.constant = parts.constant;
    return made;
}

// Nothing: a mask is needed, or lanes would be read outside of the buffer.
std::optional<InstructionId> KernelLowering::borderLoad(const Value &value, const Point &point)
{
    const Origin &origin = value.origin;
    const std::uint32_t lanes = lanesOf(point);
    const std::int64_t elements = m_schedule.buffer(value.buffer).shape.elements();
    if (lanes == 1 || missingOf(point) > 0)
        return std::nullopt;
    std::optional<BorderVector> vector = borderVectorOf(value, point);
    if (!vector)
        return std::nullopt;
    const auto padding = [&] { return m_builder.constant(origin, value.constant, lanes); };
    if (vector->begin >= vector->end)
        return padding();
    if (vector->begin > 0 && vector->end < lanes)
        return std::nullopt;
    const std::int64_t moved = vector->begin > 0 ? vector->begin : vector->end - lanes;
    if (vector->low + moved < 0 || vector->high + moved + lanes > elements)
        return std::nullopt;
    vector->at.constant += moved;
    InstructionId loaded = m_builder.load(origin, m_memory.at(value.buffer), scalarIndex(origin, vector->at), lanes);
    if (moved != 0) {
        std::vector<std::uint32_t> places; // in the two vectors, one behind the other
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            places.push_back(
                static_cast<std::uint32_t>(lane >= vector->begin && lane < vector->end ? lane - moved : lanes + lane));
        loaded = m_builder.shuffle(origin, loaded, padding(), std::move(places));
    }
    const std::optional<InstructionId> valid = conditionsAt(origin, vector->moving, point);
    if (!valid->isValid())
        return loaded;
    return m_builder.alu(origin, Op::Where, {widened(origin, *valid, lanes), loaded, padding()});
}

// All lanes, where `valid` holds, which is the same for all of them, else the load's constant. It reads within the buffer in any
// case. A processor takes long for masked lanes whose address is in no page, which is where a part of a cat would be read before
// its begin: 160 ns for each vector on a Zen 4.
InstructionId KernelLowering::loadAllOrNone(const Value &value, InstructionId memory, InstructionId at, InstructionId valid,
                                            std::uint32_t lanes)
{
    const Origin &origin = value.origin;
    const std::int64_t last = m_schedule.buffer(value.buffer).shape.elements() - lanes;
    const InstructionId behindBegin = m_builder.alu(origin, Op::Max, {at, m_builder.index(origin, 0)});
    const InstructionId inside = m_builder.alu(origin, Op::Min, {behindBegin, m_builder.index(origin, last)});
    const InstructionId loaded = m_builder.load(origin, memory, inside, lanes);
    return m_builder.alu(origin, Op::Where,
                         {widened(origin, valid, lanes), loaded, m_builder.constant(origin, value.constant, lanes)});
}

} // namespace sw
