#pragma once
// Watches a run for a condition. Private to the stepper.

#include "engine/lowered/interpreter_machine.h"
#include "engine/lowered/step_watches.h"
#include "engine/lowered/stop_condition.h"

#include <span>
#include <vector>

namespace sw {

// The item has left these steps, or has ended; stepping over and out of loops waits for this.
struct LeavesSteps {
    MachineCursor from;
    std::size_t first = 0;
    std::size_t last = 0; // included
};
// It is the item's turn, and this step is its next.
struct AtStep {
    MachineCursor item;
    std::size_t step = 0;
};

// A register compared with a number, for the stop at one step.
struct CheckedStep {
    std::size_t step = 0;
    DType dtype = DType::F32;
    std::uint32_t place = 0;
    std::uint32_t lanes = 1;
    Relation relation = Relation::Equal;
    double number = 0;
};
struct WatchedElement {
    std::uint32_t memory = 0; // which of InterpreterProgram::memories
    std::int64_t element = 0;
};

// Conditions prepared for one kernel: what to look at, by step. Any of them stops the run.
struct StopPlan {
    std::vector<bool> stops;  // stop in front of these
    std::vector<bool> values; // stop after these made a value
    // As above, where the check holds.
    std::vector<CheckedStep> checkedStops;
    std::vector<CheckedStep> checkedValues;
    bool stopsAtLoads = false;
    bool stopsAtStores = false;
    std::vector<WatchedElement> elements;
    bool stopsAtNan = false;
    bool stopsAtInfinity = false;
    bool stopsAtFaults = false;
    // Counters of open loops, by step and wanted counter: their places, or kClosed. Empty: no place is wanted.
    std::vector<std::uint32_t> counters;
    std::vector<std::int64_t> counterValues;
    std::vector<std::pair<SpecialIndex, std::int64_t>> specials;
    bool hasPlace = false;
    std::vector<std::shared_ptr<const std::vector<std::uint64_t>>> positions;
    std::optional<LeavesSteps> leaves;
    std::optional<AtStep> atStep;

    static constexpr std::uint32_t kClosed = 0xffffffff;
};

// Errors: an instruction, memory or name that the kernel does not have; the message lists those that it has.
[[nodiscard]] Result<StopPlan> planOf(std::span<const StopCondition> conditions, const LoweredKernel &kernel,
                                      const InterpreterProgram &program);

class StopSearch : public MovingWatch {
public:
    enum class Keep : std::uint8_t { First, Last };

    StopSearch(const KernelMachine &machine, PagedMemory &memory, const StopPlan &plan, Keep keep)
        : MovingWatch(machine, memory), m_plan(plan), m_keep(keep)
    {
    }

    // The position `at` itself does not count, except at the very beginning of a run, where isFirst says so.
    void start(std::uint64_t at, bool isFirst);

    bool begins(const WorkItem &item, std::size_t step);
    void makes(const WorkItem &item, std::size_t step);
    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at);
    void fails(IndexFault &fault);

    // Call this after the last step of a run, where no step begins any more.
    void end(std::uint64_t position);
    // Where the condition holds: the first such position of the run, or the last.
    [[nodiscard]] const std::optional<std::uint64_t> &found() const { return m_found; }
    [[nodiscard]] bool isDone() const { return isStopped() || (m_keep == Keep::First && m_found); }

private:
    [[nodiscard]] bool holdsAt(const WorkItem &item, std::size_t step);
    [[nodiscard]] bool isAtPosition(std::uint64_t position) const;
    [[nodiscard]] bool isAtPlace(const WorkItem &item, std::size_t step) const;
    [[nodiscard]] bool hasLeft(std::size_t step) const;

    const StopPlan &m_plan;
    Keep m_keep = Keep::First;
    std::uint64_t m_start = 0;
    bool m_isFirst = false;
    bool m_hasHappened = false; // in the step that runs
    bool m_wasAtPlace = false;
    std::optional<std::uint64_t> m_found;
};

} // namespace sw
