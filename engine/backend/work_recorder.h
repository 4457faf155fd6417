#pragma once
// When the threads of a compiler or a runtime worked. Those that can tell implement WorkRecorder as well; who wants to know asks
// with recorderOf(). Nothing is recorded before startRecording(), and then nothing of it costs anything.
//
// Times are of the steady clock, since its epoch: all processes of a machine share it (CLOCK_MONOTONIC).

#include "engine/backend/hardware_counts.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sw {

[[nodiscard]] inline std::chrono::nanoseconds steadyNow()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

struct WorkSpan {
    std::uint32_t thread = 0; // from 0, in the order in which they first worked
    std::chrono::nanoseconds begin{0};
    std::chrono::nanoseconds end{0};
};

struct RecordedLaunch {
    std::chrono::nanoseconds begin{0}; // on the device
    std::chrono::nanoseconds end{0};
    std::vector<WorkSpan> threads; // those that had work; empty: the device does not tell
    HardwareCounts counts;         // of all threads
};

struct RecordedTransfer {
    std::chrono::nanoseconds begin{0}; // on the device
    std::chrono::nanoseconds end{0};
};

struct RecordedCompile {
    std::string symbol; // of the kernel
    WorkSpan work;
};

// In the order in which they ended.
struct RecordedWork {
    std::vector<RecordedLaunch> launches;    // of a runtime
    std::vector<RecordedTransfer> transfers; // of a runtime: those that were queued
    std::vector<RecordedCompile> compiles;   // of a compiler
    std::uint64_t lost = 0;                  // launches and transfers that came when there was no more room
    std::string noCounters;                  // why nothing was counted, where counters were asked for
};

inline constexpr std::size_t kMostRecordedLaunches = 100'000; // and as many transfers

enum class WithCounters : std::uint8_t { No, Yes };

class WorkRecorder {
public:
    virtual ~WorkRecorder() = default;
    // Forgets what was recorded before.
    [[nodiscard]] virtual Result<Done> startRecording(WithCounters counters) = 0;
    // What was recorded since it was started; ends the recording.
    [[nodiscard]] virtual Result<RecordedWork> takeRecorded() = 0;
};

// Null: this compiler or runtime does not tell.
template <class Part>
[[nodiscard]] WorkRecorder *recorderOf(Part &part)
{
    return dynamic_cast<WorkRecorder *>(&part);
}

} // namespace sw
