#pragma once
// Watches for runs that the stepper moves: they count instructions, stop at a goal, and tell the memory what is about to
// change. Private to the stepper.

#include "engine/lowered/interpreter_machine.h"
#include "engine/lowered/undo_log.h"

namespace sw {

// Positions are counts of instructions that were run.
class MovingWatch {
public:
    MovingWatch(const KernelMachine &machine, PagedMemory &memory) : m_machine(machine), m_memory(memory) {}

    void aim(std::uint64_t from, std::uint64_t goal)
    {
        m_position = from;
        m_goal = goal;
    }
    void stopWith(std::stop_token stop) { m_stop = std::move(stop); }
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    [[nodiscard]] bool isStopped() const { return m_isStopped; }
    [[nodiscard]] bool isDone() const { return m_isStopped; }

    bool begins(const WorkItem & /*item*/, std::size_t step)
    {
        return !m_machine.program().steps[step].startsInstruction || countOne();
    }
    void touches(const Step &step, std::int64_t /*index*/, std::uint32_t lanes, std::byte *at)
    {
        if (step.kind == StepKind::Store)
            m_memory.touch(at, std::size_t{lanes} * bytesOf(step.lanes.dtype));
    }
    void fails(IndexFault & /*fault*/) {}
    void clears(std::span<std::byte> bytes) { m_memory.touch(bytes.data(), bytes.size()); }
    void resumes(const WorkItem &item) { m_memory.touch(item.frame, m_machine.program().frame.size()); }

protected:
    // Whether the instruction may begin.
    bool countOne()
    {
        if (m_position == m_goal)
            return false;
        if (m_position % kStepsBetweenStopChecks == 0 && m_stop.stop_requested()) {
            m_isStopped = true;
            return false;
        }
        ++m_position;
        return true;
    }
    [[nodiscard]] const KernelMachine &machine() const { return m_machine; }

private:
    static constexpr std::uint64_t kStepsBetweenStopChecks = 4096;

    const KernelMachine &m_machine;
    PagedMemory &m_memory;
    std::stop_token m_stop;
    std::uint64_t m_position = 0;
    std::uint64_t m_goal = 0;
    bool m_isStopped = false;
};

// Logs what the steps change.
class LoggingWatch : public MovingWatch {
public:
    LoggingWatch(const KernelMachine &machine, PagedMemory &memory, UndoLog &log) : MovingWatch(machine, memory), m_log(log) {}

    bool begins(const WorkItem &item, std::size_t step);
    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at);
    void fails(IndexFault &fault);
    void clears(std::span<std::byte> bytes);

private:
    UndoLog &m_log;
};

} // namespace sw
