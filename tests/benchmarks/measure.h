#pragma once
// Medians of runs that take turns, so that what the machine does besides hits all of them alike.

#include "engine/execute/timing.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace sw::benchmark {

using Nanoseconds = std::chrono::nanoseconds;

// What takes turns: each returns its own time, so that it may leave preparations out.
struct Contender {
    std::string name;
    std::function<Nanoseconds()> run;
};

// One timing per contender: a round for warming up, then so many rounds. With a pause each turn begins with it and with runs of
// 20 ms that are not counted: the threads of the one before fall asleep, its own wake up and spread over the cores. Then a turn
// has three runs.
[[nodiscard]] std::vector<Timing> measureInTurns(const std::vector<Contender> &contenders, int rounds,
                                                 std::chrono::milliseconds pause = {});

// Workers of libraries spin for a while after their work (OpenBLAS 30 ms) and take a core from whoever comes next.
inline constexpr std::chrono::milliseconds kPauseForSpinners{100};

[[nodiscard]] Nanoseconds timeOf(const std::function<void()> &work);

// A word from one thread to another and back, both awake, each on a core of its own if there are two. A host moves the cores of a
// guest: with a cache in common it takes 90 ns on Zen 5, without one 400 to 570, and what one core wrote comes to the other at 88
// or at 37 GB/s. All times on two threads depend on it. 0: there is one core.
[[nodiscard]] Nanoseconds handoverTime();

// "12.345 ms"
[[nodiscard]] std::string millisecondsText(Nanoseconds time);

void print(const std::string &text); // to stdout, at once

} // namespace sw::benchmark
