#pragma once
// When everybody worked: while a program was compiled (stages, passes, kernels, by thread) and while it ran (kernels, transfers
// and the gaps between them, by device and thread).

#include "engine/api/stage_document.h"
#include "engine/backend/hardware_counts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class TimelineKind : std::uint8_t {
    RunPhase, // loading, each run, fetching
    CompilerStage,
    Pass,
    Check,    // of what a pass made
    Render,   // of a kernel's source
    Compile,  // of a kernel
    Call,     // that this process made to a device, and waited for
    Kernel,   // on a device
    Work,     // of a thread, on a kernel
    Transfer, // of memory
    Wait,     // for a device or a compiler
};
[[nodiscard]] std::string_view nameOf(TimelineKind kind); // "phase", "stage", ...

// What happens in a lane happens one after the other.
struct TimelineLane {
    std::string group; // "run", "host", "compiler", or a device: "llvm"
    std::string name;  // "kernels", "thread 0"
};

// Nanoseconds count from the beginning of the timeline.
struct TimelineEvent {
    std::uint32_t lane = 0;
    TimelineKind kind = TimelineKind::Call;
    std::string name; // "k0_softmax", "upload x"
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t bytes = 0;          // moved or allocated
    std::uint32_t kernel = kNoIndex; // of the report, that it is about
    std::uint32_t pass = kNoIndex;   // of the report
    std::uint32_t round = kNoIndex;  // of the run, from 0; kNoIndex: it loads or fetches
    [[nodiscard]] std::int64_t nanoseconds() const { return end - begin; }
};

struct Timeline {
    std::vector<TimelineLane> lanes;
    std::vector<TimelineEvent> events; // by lane, then by their begin
    std::int64_t begin = 0;            // of the steady clock, which all timelines of a machine share
    std::int64_t nanoseconds = 0;      // how long it is
    std::vector<std::string> notes;    // what is missing, and why

    [[nodiscard]] std::span<const TimelineEvent> eventsOf(std::uint32_t lane) const;
};

// Between two events of a lane that follow each other, in the same run.
struct TimelineGap {
    std::uint32_t lane = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t after = 0; // an index into Timeline::events
    std::size_t before = 0;
    [[nodiscard]] std::int64_t nanoseconds() const { return end - begin; }
};
// Of the lanes in which gaps mean waiting: kernels, and work of threads. By lane, then by begin.
[[nodiscard]] std::vector<TimelineGap> gapsOf(const Timeline &timeline);

// How busy a lane was between two moments.
struct LaneUse {
    std::size_t events = 0;
    std::int64_t busy = 0;
    std::int64_t longestGap = 0; // 0: there is none
};
[[nodiscard]] LaneUse useOf(const Timeline &timeline, std::uint32_t lane, std::int64_t from, std::int64_t to);

// A kernel over all recorded runs.
struct KernelActivity {
    std::string name;
    std::string device;
    std::int64_t medianNanoseconds = 0;
    std::int64_t medianGap = 0; // before it, since the kernel before it on its device ended; 0 for the first
    HardwareCounts counts;      // of all counted runs together
    std::uint32_t countedRuns = 0;
    // Of one run; nothing: it was not counted.
    [[nodiscard]] std::optional<double> countOf(HardwareEvent event) const;
};

struct RecordedTimelines {
    std::string title; // "softmax.sw on llvm"
    Timeline compilation;
    Timeline run;
    std::uint32_t rounds = 0;
    std::uint32_t medianRound = 0;       // the one whose time is the median
    std::vector<KernelActivity> kernels; // by their number
    std::string noCounters;              // why nothing was counted; empty: it was, or nobody asked
};

// Where the round begins and ends.
struct TimelineRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
[[nodiscard]] TimelineRange rangeOf(const Timeline &run, std::uint32_t round);

// In the trace event format that Chrome and Perfetto read, as an array of events: a complete event ("X") for each of ours, with
// times in microseconds since the beginning of the compilation, and the names of groups (processes) and lanes (threads).
[[nodiscard]] std::string chromeTrace(const RecordedTimelines &timelines);

} // namespace sw
