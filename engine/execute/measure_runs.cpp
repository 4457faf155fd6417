#include "engine/execute/measure_runs.h"

#include "engine/execute/machine_conditions.h"

#include <algorithm>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

class TurnMeter {
public:
    TurnMeter(std::span<Executor *const> executors, const MeasurePlan &plan, const std::stop_token &stop)
        : m_executors(executors), m_plan(plan), m_stop(stop), m_control(plan, executors.size())
    {
    }

    Result<MeasuredRuns> measure(const MeasureObserver &observer)
    {
        // Each program has its part of the budget to warm up.
        for (Executor *const executor : m_executors)
            SW_CHECK(warmUp(*executor));
        const MachineConditions before = machineConditions();
        std::vector<Nanoseconds> times(m_executors.size());
        while (!m_control.isEnough(Clock::now() - m_begin)) {
            const std::size_t round = m_control.rounds();
            for (std::size_t place = 0; place < m_executors.size(); ++place) {
                const std::size_t program = programInTurn(round, place, m_executors.size());
                SW_TRY(times[program], m_executors[program]->runRound(Round::Measured, m_stop));
            }
            m_control.addRound(times);
            if (observer)
                observer(partDone());
        }
        MeasuredRuns made;
        made.notes = conditionNotes(before, machineConditions());
        for (Executor *const executor : m_executors) {
            SW_TRY(ExecutionResult result, executor->finish(m_stop));
            made.results.push_back(std::move(result));
        }
        for (std::size_t program = 1; program < m_executors.size(); ++program)
            made.ratios.push_back(m_control.ratioOf(program));
        made.rounds = m_control.rounds();
        made.isPrecise = m_control.isPrecise();
        return made;
    }

private:
    Result<Done> warmUp(Executor &executor)
    {
        // A single run is asked for to have its values soon.
        if (m_plan.repeats == 1U)
            return Done{};
        WarmUp warm(m_plan.budget / static_cast<std::int64_t>(m_executors.size()));
        while (!warm.isSettled()) {
            SW_TRY(const Nanoseconds time, executor.runRound(Round::WarmUp, m_stop));
            warm.add(time);
        }
        return Done{};
    }

    [[nodiscard]] double partDone() const
    {
        const double part = m_plan.repeats ? static_cast<double>(m_control.rounds()) / *m_plan.repeats
                                           : std::chrono::duration<double>(Clock::now() - m_begin) / m_plan.budget;
        return std::clamp(part, 0.0, 1.0);
    }

    std::span<Executor *const> m_executors;
    const MeasurePlan &m_plan;
    const std::stop_token &m_stop;
    RepeatControl m_control;
    Clock::time_point m_begin = Clock::now();
};

} // namespace

Result<MeasuredRuns> measureInTurn(std::span<Executor *const> executors, const MeasurePlan &plan, const std::stop_token &stop,
                                   const MeasureObserver &observer)
{
    SW_ASSERT(!executors.empty(), "at least one program");
    return TurnMeter(executors, plan, stop).measure(observer);
}

} // namespace sw
