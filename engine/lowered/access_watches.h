#pragma once
// Watches that keep what a stepped run touches. Private to the stepper.

#include "engine/lowered/access_counts.h"
#include "engine/lowered/step_watches.h"

#include <deque>

namespace sw {

class AccessCounter : public MovingWatch {
public:
    AccessCounter(const KernelMachine &machine, PagedMemory &memory, const AccessLimits &limits) : MovingWatch(machine, memory)
    {
        std::int64_t room = limits.elements;
        for (const MemoryPlan &plan : machine.program().memories) {
            m_touches.push_back({plan.instruction, {}});
            if (plan.elements > room)
                continue;
            room -= plan.elements;
            m_touches.back().elements.resize(static_cast<std::size_t>(plan.elements));
        }
    }

    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
    {
        MovingWatch::touches(step, index, lanes, at);
        std::vector<ElementTouches> &elements = m_touches[step.memory].elements;
        if (elements.empty())
            return;
        const auto now = static_cast<std::uint32_t>(position());
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            ElementTouches &touched = elements.at(static_cast<std::size_t>(index) + lane);
            ++(step.kind == StepKind::Store ? touched.writes : touched.reads);
            touched.first = touched.first == 0 ? now : touched.first;
            touched.last = now;
        }
    }

    [[nodiscard]] std::vector<MemoryTouches> take() { return std::move(m_touches); }

private:
    std::vector<MemoryTouches> m_touches; // by InterpreterProgram::memories
};

// Keeps which step wrote each element last.
class LastWriters : public MovingWatch {
public:
    // By InterpreterProgram::memories: whether to watch it.
    LastWriters(const KernelMachine &machine, PagedMemory &memory, const std::vector<bool> &isWatched)
        : MovingWatch(machine, memory)
    {
        const std::vector<MemoryPlan> &plans = machine.program().memories;
        m_writers.resize(plans.size());
        for (std::size_t i = 0; i < plans.size(); ++i)
            if (isWatched[i])
                m_writers[i].resize(static_cast<std::size_t>(plans[i].elements));
    }

    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
    {
        MovingWatch::touches(step, index, lanes, at);
        std::vector<std::uint64_t> &writers = m_writers[step.memory];
        if (step.kind != StepKind::Store || writers.empty())
            return;
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            writers.at(static_cast<std::size_t>(index) + lane) = position();
    }

    [[nodiscard]] std::vector<std::uint64_t> take(std::size_t memory) { return std::move(m_writers[memory]); }

private:
    std::vector<std::vector<std::uint64_t>> m_writers; // by InterpreterProgram::memories
};

// Keeps the last accesses before a position.
class AccessHistory : public MovingWatch {
public:
    using MovingWatch::MovingWatch;

    // From now on, keeps the last `count` accesses.
    void start(std::size_t count)
    {
        m_count = count;
        m_accesses.clear();
    }

    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
    {
        MovingWatch::touches(step, index, lanes, at);
        const AccessKind kind = step.kind == StepKind::Store ? AccessKind::Store : AccessKind::Load;
        m_accesses.push_back({position(), kind, machine().program().memories[step.memory].instruction, index, lanes});
        if (m_accesses.size() > m_count)
            m_accesses.pop_front();
    }

    // Appends the accesses to `newest`, newest first.
    void moveTo(std::vector<PastAccess> &newest)
    {
        newest.insert(newest.end(), m_accesses.rbegin(), m_accesses.rend());
        m_accesses.clear();
    }

private:
    std::size_t m_count = 0;
    std::deque<PastAccess> m_accesses;
};

} // namespace sw
