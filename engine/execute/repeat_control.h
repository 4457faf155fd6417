#pragma once
// When runs are warm, and when they are enough.

#include "engine/execute/statistics.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

struct MeasurePlan {
    std::optional<std::uint32_t> repeats = {}; // exactly so many measured rounds, at least one; else as many as it takes
    double precision = 0.01;                   // half of the band of the median, as a part of it
    std::chrono::nanoseconds budget = std::chrono::seconds(2); // for warming up and measuring; what has begun is ended
};

// Runs are warm when times no longer fall: caches, branch predictors and clocks have what they need, and kernels are compiled to
// the end.
class WarmUp {
public:
    // budget: of the whole measurement; warming up takes a fifth of it at most, and one run at least.
    explicit WarmUp(std::chrono::nanoseconds budget) : m_most(budget / 5) {}

    void add(std::chrono::nanoseconds time);
    [[nodiscard]] bool isSettled() const;

private:
    std::chrono::nanoseconds m_most;
    std::chrono::nanoseconds m_spent{0};
    std::vector<std::chrono::nanoseconds> m_times;
};

// The rounds of one or several programs, one time of each per round. They are enough when the band of the program's time is as
// narrow as wanted, or with several programs the bands of their ratios to the first. Whether one looks faster plays no part:
// stopping as soon as it does would find differences where there are none.
class RepeatControl {
public:
    RepeatControl(MeasurePlan plan, std::size_t programs) : m_plan(plan), m_times(programs) {}

    // times: of each program in this round.
    void addRound(std::span<const std::chrono::nanoseconds> times);
    // spent: since the measurement began. With several programs, rounds end in pairs, unless a single one uses up the budget.
    [[nodiscard]] bool isEnough(std::chrono::nanoseconds spent);

    [[nodiscard]] std::size_t rounds() const { return m_times.front().size(); }
    // Every band is as narrow as wanted.
    [[nodiscard]] bool isPrecise() const;
    // Of a program to the first one. At least one round (asserts).
    [[nodiscard]] MedianBand ratioOf(std::size_t program) const;

private:
    MeasurePlan m_plan;
    std::vector<std::vector<double>> m_times; // by program, then by round; nanoseconds
    std::size_t m_nextLook = 1;               // rounds after which the bands are looked at again
};

// Which program runs as the `place`-th of the round: A B C, then C B A, and so on.
[[nodiscard]] std::size_t programInTurn(std::size_t round, std::size_t place, std::size_t programs);

} // namespace sw
