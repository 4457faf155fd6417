#pragma once
// Timelines out of what was recorded. For timeline_recording.cpp and tests.

#include "engine/api/compilation.h"
#include "engine/api/timeline.h"
#include "engine/execute/recording_backends.h"

namespace sw {

// A stretch of time of the steady clock.
struct RecordedSpan {
    std::chrono::nanoseconds begin{0};
    std::chrono::nanoseconds end{0};
};

// One executor's whole life: it loads, runs some rounds one right after the other, and fetches.
struct RecordedRun {
    RecordedSpan load;
    std::vector<RecordedSpan> rounds;
    RecordedSpan fetch;
    RecordedCalls calls;
    std::vector<bool> isSkipped;              // by item; empty: none is
    std::vector<std::int64_t> stepsMade = {}; // by repeat; empty: all
};

[[nodiscard]] Timeline timelineOf(const Compilation &compilation, const RecordedCalls &calls, const RecordedSpan &whole);
[[nodiscard]] Timeline timelineOf(const Schedule &schedule, const RecordedRun &run);

// The kernels in the order in which the run launched them: those that load, those of each round, those that fetch.
struct LaunchOrder {
    std::vector<KernelId> kernels;
    std::vector<std::uint32_t> rounds; // of each; kNoIndex: it loads or fetches
};
[[nodiscard]] LaunchOrder launchOrder(const Schedule &schedule, const RecordedRun &run);

} // namespace sw
