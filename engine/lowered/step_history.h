#pragma once
// Collects the values that an instruction makes. Private to the stepper.

#include "engine/lowered/kernel_stepper.h"
#include "engine/lowered/step_watches.h"

#include <deque>

namespace sw {

class ValueHistory : public MovingWatch {
public:
    // makers: by step, whether it makes the value.
    ValueHistory(const KernelMachine &machine, PagedMemory &memory, const std::vector<bool> &makers)
        : MovingWatch(machine, memory), m_makers(makers)
    {
    }

    // From now on, keeps the last `count` values.
    void start(std::size_t count)
    {
        m_count = count;
        m_values.clear();
    }

    void makes(const WorkItem &item, std::size_t stepIndex)
    {
        if (!m_makers[stepIndex])
            return;
        const Step &step = machine().program().steps[stepIndex];
        PastValue made{position(), item.global, {}};
        for (std::uint32_t lane = 0; lane < step.traceLanes; ++lane)
            made.lanes.push_back(
                Scalar::load(step.lanes.dtype, item.frame + step.traceResult + lane * bytesOf(step.lanes.dtype)));
        m_values.push_back(std::move(made));
        if (m_values.size() > m_count)
            m_values.pop_front();
    }

    // Appends the values to `newest`, newest first.
    void moveTo(std::vector<PastValue> &newest)
    {
        newest.insert(newest.end(), m_values.rbegin(), m_values.rend());
        m_values.clear();
    }

private:
    const std::vector<bool> &m_makers;
    std::size_t m_count = 0;
    std::deque<PastValue> m_values;
};

} // namespace sw
