#include "engine/schedule/item_walk.h"

#include "engine/schedule/execution_order.h"

#include <algorithm>

namespace sw {

ItemWalk::ItemWalk(const Schedule &schedule, std::span<const std::uint32_t> order, Phase phase)
    : m_schedule(schedule), m_order(order), m_phase(phase)
{
    skipOthers();
}

const RepeatedItems *ItemWalk::current() const
{
    return m_next < m_order.size() ? m_schedule.repeatOf(m_order[m_next]) : nullptr;
}

void ItemWalk::skipOthers()
{
    while (m_next < m_order.size() && m_schedule.items[m_order[m_next]].phase != m_phase)
        ++m_next;
}

std::optional<ItemRun> ItemWalk::next()
{
    m_ended = nullptr;
    if (m_next == m_order.size())
        return std::nullopt;
    const ItemRun run{m_order[m_next], m_step};
    const RepeatedItems *const repeat = current();
    ++m_next;
    if (repeat != nullptr && current() == repeat)
        return run; // all of them are of the phase that runs
    if (repeat != nullptr) {
        m_ended = repeat;
        if (++m_step < repeat->steps) {
            m_next -= repeat->end - repeat->first;
            return run;
        }
    }
    m_step = 0;
    skipOthers();
    return run;
}

const RepeatedItems *ItemWalk::endedStep() const
{
    return m_ended;
}

bool ItemWalk::isRepeating() const
{
    return m_ended != nullptr && m_step > 0;
}

void ItemWalk::leaveRepeat()
{
    if (!isRepeating())
        return;
    m_next += m_ended->end - m_ended->first;
    m_step = 0;
    skipOthers();
}

std::vector<bool> loadKernelsOf(const Schedule &schedule)
{
    std::vector<bool> isOfLoad(schedule.kernels.size(), false);
    for (const ScheduleItem &item : schedule.items)
        if (item.kernel().isValid())
            isOfLoad[item.kernel().value] = item.phase == Phase::Load;
    return isOfLoad;
}

Phase phaseOf(const Schedule &schedule, KernelId kernel)
{
    const auto launch = std::ranges::find(schedule.items, kernel, &ScheduleItem::kernel);
    SW_ASSERT(launch != schedule.items.end(), "a kernel of the schedule");
    return launch->phase;
}

std::optional<std::vector<ItemRun>> runsOf(const Schedule &schedule, Phase phase, std::span<const std::int64_t> stepsMade)
{
    const auto order = executionOrder(schedule);
    if (!order)
        return std::nullopt;
    std::vector<ItemRun> runs;
    ItemWalk walk(schedule, *order, phase);
    while (const std::optional<ItemRun> run = walk.next()) {
        runs.push_back(*run);
        const RepeatedItems *const ended = walk.endedStep();
        if (ended == nullptr)
            continue;
        const auto repeat = static_cast<std::size_t>(ended - schedule.repeats.data());
        SW_ASSERT(!stepsMade.empty() || ended->steps < kUnboundedSteps, "a number of steps");
        if (!stepsMade.empty() && run->step + 1 >= stepsMade[repeat])
            walk.leaveRepeat();
    }
    return runs;
}

} // namespace sw
