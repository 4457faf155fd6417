#include "engine/lowered/stop_search.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

bool checkHolds(const CheckedStep &check, const WorkItem &item)
{
    for (std::uint32_t lane = 0; lane < check.lanes; ++lane)
        if (holds(Scalar::load(check.dtype, item.frame + check.place + lane * bytesOf(check.dtype)).asDouble(), check.relation,
                  check.number))
            return true;
    return false;
}

bool anyHolds(const std::vector<CheckedStep> &checks, const WorkItem &item, std::size_t step)
{
    return std::ranges::any_of(checks, [&](const CheckedStep &check) { return check.step == step && checkHolds(check, item); });
}

} // namespace

void StopSearch::start(std::uint64_t at, bool isFirst)
{
    m_start = at;
    m_isFirst = isFirst;
    m_hasHappened = false;
    m_wasAtPlace = false;
}

bool StopSearch::begins(const WorkItem &item, std::size_t step)
{
    if (!machine().program().steps[step].startsInstruction)
        return true;
    const bool holds = holdsAt(item, step);
    if (holds && (position() > m_start || m_isFirst)) {
        m_found = position();
        if (m_keep == Keep::First)
            return false;
    }
    return countOne();
}

bool StopSearch::holdsAt(const WorkItem &item, std::size_t step)
{
    bool holds = std::exchange(m_hasHappened, false);
    if (!m_plan.stops.empty())
        holds = holds || m_plan.stops[step];
    if (!m_plan.checkedStops.empty())
        holds = holds || anyHolds(m_plan.checkedStops, item, step);
    if (m_plan.hasPlace) {
        const bool isThere = isAtPlace(item, step);
        holds = holds || (isThere && !m_wasAtPlace);
        m_wasAtPlace = isThere;
    }
    if (!m_plan.positions.empty())
        holds = holds || isAtPosition(position());
    if (m_plan.leaves)
        holds = holds || hasLeft(step);
    if (m_plan.atStep) {
        const MachineCursor &now = machine().cursor();
        const auto &[wanted, at] = *m_plan.atStep;
        holds = holds || (step == at && now.item == wanted.item && now.group == wanted.group);
    }
    return holds;
}

bool StopSearch::isAtPosition(std::uint64_t position) const
{
    return std::ranges::any_of(m_plan.positions,
                               [position](const auto &wanted) { return std::ranges::binary_search(*wanted, position); });
}

bool StopSearch::isAtPlace(const WorkItem &item, std::size_t step) const
{
    for (const auto &[special, value] : m_plan.specials)
        if (KernelMachine::specialOf(item, special) != value)
            return false;
    const std::size_t wanted = m_plan.counterValues.size();
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uint32_t place = m_plan.counters[step * wanted + i];
        if (place == StopPlan::kClosed || at<std::int64_t>(item.frame, place) != m_plan.counterValues[i])
            return false;
    }
    return true;
}

bool StopSearch::hasLeft(std::size_t step) const
{
    const auto &[from, first, last] = *m_plan.leaves;
    const MachineCursor &now = machine().cursor();
    if (now.group != from.group)
        return true;
    if (now.item == from.item)
        return step < first || step > last;
    const InterpreterProgram &program = machine().program();
    return !program.hasBarriers || machine().itemAt(from.item).next == program.steps.size();
}

void StopSearch::makes(const WorkItem &item, std::size_t stepIndex)
{
    if (!m_plan.values.empty() && m_plan.values[stepIndex])
        m_hasHappened = true;
    if (!m_plan.checkedValues.empty() && anyHolds(m_plan.checkedValues, item, stepIndex))
        m_hasHappened = true;
    if (!m_plan.stopsAtNan && !m_plan.stopsAtInfinity)
        return;
    const Step &step = machine().program().steps[stepIndex];
    const DType dtype = step.lanes.dtype;
    if (!isFloat(dtype))
        return;
    for (std::uint32_t lane = 0; lane < step.traceLanes; ++lane) {
        const double value = Scalar::load(dtype, item.frame + step.traceResult + lane * bytesOf(dtype)).asDouble();
        if ((m_plan.stopsAtNan && std::isnan(value)) || (m_plan.stopsAtInfinity && std::isinf(value)))
            m_hasHappened = true;
    }
}

void StopSearch::touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
{
    MovingWatch::touches(step, index, lanes, at);
    m_hasHappened = m_hasHappened || (step.kind == StepKind::Store ? m_plan.stopsAtStores : m_plan.stopsAtLoads);
    for (const auto &[memory, element] : m_plan.elements)
        m_hasHappened = m_hasHappened || (memory == step.memory && index <= element && element < index + lanes);
}

void StopSearch::fails(IndexFault & /*fault*/)
{
    m_hasHappened = m_hasHappened || m_plan.stopsAtFaults;
}

void StopSearch::end(std::uint64_t position)
{
    const bool holds = std::exchange(m_hasHappened, false) || m_plan.leaves.has_value() || isAtPosition(position);
    if (holds && position > m_start)
        m_found = position;
}

} // namespace sw
