#include "engine/base/work_progress.h"

#include "engine/base/text.h"

#include <algorithm>

namespace sw {

void WorkProgress::begin(std::string_view step)
{
    const std::scoped_lock lock(m_mutex);
    m_state = {.step = step};
    m_done = 0;
}

void WorkProgress::expect(std::uint64_t all, std::string_view unit)
{
    const std::scoped_lock lock(m_mutex);
    m_state.all = all;
    m_state.unit = unit;
    m_done = 0;
}

WorkProgress::State WorkProgress::now() const
{
    const std::scoped_lock lock(m_mutex);
    State state = m_state;
    state.done = std::min(m_done.load(), state.all);
    return state;
}

std::string toText(const WorkProgress::State &state)
{
    if (state.all == 0)
        return std::string(state.step);
    return format("{}, {} of {} {}", state.step, state.done, state.all, state.unit);
}

} // namespace sw
