// Loops of a reduction that are written out so that their steps in padding can be left out: for each point of a tile where all of
// the tile's indices are known, else under a condition.

#include "engine/loops/join.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

// Whether steps in padding may be treated in another way: what adds nothing to one reduction may be the largest element of
// another one that is joined to it. A product of tiles takes the same step for all of its rows.
bool KernelLowering::mayLeaveOut(ReductionId id) const
{
    const Reduction &reduction = m_nest.reductions[id.value];
    return !reduction.isTiled && !reduction.joined && joinedTo(m_nest, id).empty();
}

void KernelLowering::definePadding()
{
    const auto isWrittenOut = [&](const PaddedCoordinate &coordinate) {
        const Axis &axis = m_nest.axes[coordinate.reduced.value];
        const bool isUseful = coordinate.addsNothing || m_tiling.tileOf(coordinate.domain).isValid();
        return isUseful && axis.type == AxisType::Reduce && axis.copies >= axis.extent && !m_tiling.partsOf(coordinate.reduced);
    };
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        if (!mayLeaveOut(ReductionId(i)))
            continue;
        if (std::ranges::none_of(m_nest.reductions[i].axes, [&](AxisId axis) { return m_nest.axes[axis.value].copies > 1; }))
            continue;
        for (const PaddedCoordinate &coordinate : paddedCoordinates(m_schedule, m_nest, ReductionId(i)))
            if (isWrittenOut(coordinate))
                m_padding.emplace(coordinate.reduced, coordinate);
    }
}

// A step whose place moves with open loops alone is in the padding for all points of the tile, or for none: it is told once,
// before the step, and not for each vector that the step reads.
void KernelLowering::defineGuards()
{
    const auto isVector = [&](AxisId leaf) { return m_nest.axes[leaf.value].type == AxisType::Vector; };
    if (std::ranges::none_of(m_nest.order, isVector))
        return;
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        if (!mayLeaveOut(ReductionId(i)))
            continue;
        for (const PaddedCoordinate &coordinate : paddedCoordinates(m_schedule, m_nest, ReductionId(i)))
            if (coordinate.condition && !m_tiling.tileOf(coordinate.domain).isValid() && !m_tiling.partsOf(coordinate.reduced) &&
                m_nest.axes[coordinate.reduced.value].type == AxisType::Reduce && !m_padding.contains(coordinate.reduced))
                m_guards.emplace(coordinate.reduced, coordinate);
    }
}

bool KernelLowering::isHolding(const RangeCondition &condition) const
{
    return std::ranges::find(m_holding, condition) != m_holding.end();
}

bool KernelLowering::isFailing(const Value &load) const
{
    return std::ranges::any_of(load.conditions, [&](const RangeCondition &condition) {
        return std::ranges::find(m_failing, condition) != m_failing.end();
    });
}

// The step of an axis whose loop is open, twice: as it is outside of the padding, and, where zeros from there may give something
// else than nothing, as it is inside.
void KernelLowering::emitGuarded(const PaddedCoordinate &coordinate, const std::function<void()> &body)
{
    const Origin &origin = m_nest.axes[coordinate.reduced.value].origin;
    const std::optional<InstructionId> outside = conditionsAt(origin, {*coordinate.condition}, {});
    SW_ASSERT(outside.has_value(), "a condition that moves with loops alone");
    const auto where = [&](InstructionId condition, std::vector<RangeCondition> &known) {
        m_builder.beginIf(origin, condition);
        known.push_back(*coordinate.condition);
        withScope(body);
        known.pop_back();
        m_builder.endIf(origin);
    };
    if (!outside->isValid()) {
        body();
        return;
    }
    where(*outside, m_holding);
    if (!coordinate.addsNothing)
        where(m_builder.alu(origin, Op::Not, {*outside}), m_failing);
}

// What the coordinate may be at the point, first and last. The loops over its axes are open.
std::pair<std::int64_t, std::int64_t> KernelLowering::boundsOf(const PaddedCoordinate &coordinate, const Point &point) const
{
    std::int64_t first = coordinate.constant;
    std::int64_t last = coordinate.constant;
    for (const auto &[factor, axis] : coordinate.terms) {
        for (const auto &[counter, stride, part] : m_axes[axis.value]) {
            const std::int64_t most = counter.isValid() ? m_nest.axes[part.value].extent - 1 : 1;
            first += counter.isValid() ? 0 : factor * stride;
            last += factor * stride * most;
        }
        const auto chunk = point.find(axis);
        if (chunk == point.end())
            continue;
        first += factor * chunk->second.offset;
        last += factor * (chunk->second.offset + static_cast<std::int64_t>(chunk->second.lanes - 1) * chunk->second.step);
    }
    return {first, last};
}

// Whether a point leaves the step out, or has it at another place.
bool KernelLowering::isLeftOut(const Reduction &reduction, const Point &point) const
{
    return std::ranges::any_of(reduction.axes, [&](AxisId axis) {
        const auto coordinate = m_padding.find(axis);
        if (coordinate == m_padding.end())
            return false;
        const auto [first, last] = boundsOf(coordinate->second, point);
        const auto place = m_places.find(axis);
        const bool isElsewhere = place != m_places.end() && first != place->second;
        const bool isInPadding = last < coordinate->second.low || first >= coordinate->second.high;
        return isElsewhere || (isInPadding && coordinate->second.addsNothing);
    });
}

// The condition that the coordinate is not in the padding; invalid: it never is.
InstructionId KernelLowering::outsideOfPadding(const PaddedCoordinate &coordinate)
{
    const Origin &origin = m_nest.axes[coordinate.reduced.value].origin;
    const auto [first, last] = boundsOf(coordinate, {});
    IndexParts place{.base = {}, .constant = coordinate.constant};
    for (const auto &[factor, axis] : coordinate.terms)
        addAxis(origin, place, axis, factor, {});
    if (!place.base.isValid())
        return InstructionId();
    InstructionId condition;
    if (first < coordinate.low)
        condition = m_builder.alu(origin, Op::Cmple, {m_builder.index(origin, coordinate.low - place.constant), place.base});
    if (last >= coordinate.high) {
        const InstructionId below =
            m_builder.alu(origin, Op::Cmplt, {place.base, m_builder.index(origin, coordinate.high - place.constant)});
        condition = condition.isValid() ? m_builder.alu(origin, Op::And, {condition, below}) : below;
    }
    return condition;
}

void KernelLowering::emitWrittenOut(AxisId leaf, const PaddedCoordinate &coordinate, const std::function<void()> &body)
{
    if (m_tiling.tileOf(coordinate.domain).isValid()) {
        emitPlaceByPlace(leaf, coordinate, body);
        return;
    }
    const Origin &origin = m_nest.axes[leaf.value].origin;
    std::vector<IndexTerm> &terms = m_axes[leaf.value];
    for (std::int64_t step = 0; step < m_nest.axes[leaf.value].extent; ++step) {
        terms.push_back({InstructionId(), step, leaf});
        const auto [first, last] = boundsOf(coordinate, {});
        if (last >= coordinate.low && first < coordinate.high) {
            withScope([&] {
                const InstructionId condition = outsideOfPadding(coordinate);
                if (condition.isValid())
                    m_builder.beginIf(origin, condition);
                if (coordinate.condition)
                    m_holding.push_back(*coordinate.condition);
                withScope(body);
                if (coordinate.condition)
                    m_holding.pop_back();
                if (condition.isValid())
                    m_builder.endIf(origin);
            });
        }
        terms.pop_back();
    }
}

// Neighbouring points of a tile read the same places at different steps. Place by place, what is read there serves all of them
// and is done with; step by step, all that the tile reads would wait in registers for the next step. The sum of a point takes its
// steps in the same order.
void KernelLowering::emitPlaceByPlace(AxisId leaf, const PaddedCoordinate &coordinate, const std::function<void()> &body)
{
    std::vector<IndexTerm> &terms = m_axes[leaf.value];
    const std::int64_t steps = m_nest.axes[leaf.value].extent;
    std::map<std::int64_t, std::set<std::int64_t>> stepsAt; // by place
    for (std::int64_t step = 0; step < steps; ++step) {
        terms.push_back({InstructionId(), step, leaf});
        for (const Point &point : pointsOver({coordinate.domain}))
            stepsAt[boundsOf(coordinate, point).first].insert(step);
        terms.pop_back();
    }
    std::vector<Scope> scopes(static_cast<std::size_t>(steps)); // what a step has computed at one place is there at the next
    for (const auto &[place, here] : stepsAt) {
        for (const std::int64_t step : here) {
            terms.push_back({InstructionId(), step, leaf});
            m_places[leaf] = place;
            m_scopes.push_back(std::move(scopes[static_cast<std::size_t>(step)]));
            body();
            scopes[static_cast<std::size_t>(step)] = std::move(m_scopes.back());
            m_scopes.pop_back();
            terms.pop_back();
        }
    }
    m_places.erase(leaf);
}

} // namespace sw
