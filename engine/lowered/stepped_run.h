#pragma once
// The run of a kernel at one position, and how it gets to another. Private to the stepper.

#include "engine/lowered/kernel_stepper.h"
#include "engine/lowered/step_watches.h"

#include <atomic>

namespace sw {

class SteppedRun {
public:
    [[nodiscard]] static Result<std::unique_ptr<SteppedRun>> open(const LoweredKernel &kernel, const StepperRequest &request);
    SteppedRun(const SteppedRun &) = delete;
    SteppedRun &operator=(const SteppedRun &) = delete;

    [[nodiscard]] const InterpreterProgram &program() const { return *m_program; }
    [[nodiscard]] const KernelMachine &machine() const { return m_machine; }
    [[nodiscard]] PagedMemory &pages() { return m_pages; }
    [[nodiscard]] const UndoLog &log() const { return m_log; }
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    [[nodiscard]] std::uint64_t reached() const { return m_reached.load(std::memory_order_relaxed); }
    [[nodiscard]] const std::optional<std::uint64_t> &end() const { return m_end; }
    // Why the run ends there, when it fails.
    [[nodiscard]] const std::optional<Diagnostic> &problem() const { return m_problem; }
    [[nodiscard]] bool isAtEnd() const { return m_end == m_position; }
    // True: the run ends in front of an access that leaves its memory. Else its last instruction was completed.
    [[nodiscard]] bool endsInAccess() const { return m_problem.has_value() && m_endsInAccess; }
    [[nodiscard]] StepperMemory memory() const;

    // True when it got there. False when it was stopped or there is no such position; it is then somewhere else.
    [[nodiscard]] bool arrive(std::uint64_t position, const std::stop_token &stop);

    // Restores the last checkpoint that is not past the position, and empties the log.
    void restoreBefore(std::uint64_t position);
    void clearLog() { m_log.clear(); }

    // Runs to the goal, to the end, or as far as the watch wants. Only the watch may keep a log.
    template <class Watch>
    void runTo(std::uint64_t goal, Watch &watch)
    {
        goal = std::min(goal, m_end.value_or(goal));
        do {
            const std::uint64_t due = nextCheckpoint();
            watch.aim(m_position, std::min(goal, due));
            const Pause pause = m_machine.advance(watch);
            m_position = watch.position();
            m_reached.store(m_position, std::memory_order_relaxed);
            if (pause == Pause::Failed) {
                fail();
                return;
            }
            if (pause == Pause::Finished) {
                m_end = m_position;
                return;
            }
            if (m_position == due)
                addCheckpoint();
        } while (m_position < goal && !watch.isDone());
    }

private:
    struct Checkpoint {
        std::uint64_t position = 0;
        MachineState state;
        PagedMemory::Snapshot pages;
    };

    // Where everything is in one block of memory; what changes comes first.
    struct Layout {
        std::vector<std::size_t> buffers; // offsets, by argument position
        std::size_t changing = 0;         // bytes
        std::size_t all = 0;
    };

    SteppedRun(std::unique_ptr<const InterpreterProgram> program, const StepperRequest &request, const Layout &layout);
    [[nodiscard]] static Layout layoutOf(const InterpreterProgram &program, const StepperRequest &request);
    [[nodiscard]] MachineRequest machineRequest(const StepperRequest &request, const Layout &layout);
    [[nodiscard]] const Checkpoint &checkpointBefore(std::uint64_t position) const;
    [[nodiscard]] std::uint64_t nextCheckpoint() const;
    [[nodiscard]] std::size_t stateBytes() const;
    [[nodiscard]] std::size_t bytesHeld() const;
    void addCheckpoint();
    [[nodiscard]] bool thinOut();
    void fail();
    [[nodiscard]] bool takeBackTo(std::uint64_t position);
    [[nodiscard]] bool runLogged(std::uint64_t position, const std::stop_token &stop);

    std::unique_ptr<const InterpreterProgram> m_program;
    std::size_t m_limit = 0;
    std::uint64_t m_interval = 1;
    std::vector<std::byte> m_storage;
    std::byte *m_live = nullptr;
    PagedMemory m_pages;
    KernelMachine m_machine;
    UndoLog m_log;
    std::size_t m_logBytes = 0; // how much it may hold
    std::uint64_t m_position = 0;
    std::atomic<std::uint64_t> m_reached = 0; // the position, at times, for other threads
    std::vector<Checkpoint> m_checkpoints;    // in order; the first is at position 0
    std::optional<std::uint64_t> m_end;
    std::optional<Diagnostic> m_problem;
    bool m_endsInAccess = false;
};

} // namespace sw
