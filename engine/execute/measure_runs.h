#pragma once
// Measures one program, or several in turn: warms each of them up, then runs A B, B A, A B, ... until the times are known as
// precisely as wanted, or the budget is spent. What happens to the machine meanwhile happens to all of them.

#include "engine/execute/executor.h"
#include "engine/execute/repeat_control.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct MeasuredRuns {
    std::vector<ExecutionResult> results; // by executor
    std::vector<MedianBand> ratios;       // of each executor but the first, to the first
    std::size_t rounds = 0;
    bool isPrecise = false;         // else the budget ended, or the number of rounds was given
    std::vector<std::string> notes; // what disturbed the times
};

// The part of the budget that is spent, and of the rounds, if their number is given: 0 to 1.
using MeasureObserver = std::function<void(double part)>;

// executors: at least one (asserts), each prepared and never run; they may share devices.
[[nodiscard]] Result<MeasuredRuns> measureInTurn(std::span<Executor *const> executors, const MeasurePlan &plan,
                                                 const std::stop_token &stop, const MeasureObserver &observer = {});

} // namespace sw
