#pragma once
// Compiles and runs a program and records when everybody worked. It compiles everything anew, on devices of its own; nothing is
// recorded otherwise.

#include "engine/api/inputs.h"
#include "engine/api/timeline.h"
#include "engine/backend/work_recorder.h"

#include <functional>
#include <stop_token>

namespace sw {

class BackendRegistry;
struct CompileRequest;
struct Compilation;

struct TimelineOptions {
    std::uint32_t rounds = 5; // runs, one right after the other; the first ones may be slower
    // Counts in further runs, whose times are not told: counting takes time.
    WithCounters counters = WithCounters::No;
};

// inputs: of the compilation that was made. Errors: those of the compilation and of the run, and that it was stopped.
[[nodiscard]] Result<RecordedTimelines> recordTimelines(const BackendRegistry &registry, const CompileRequest &request,
                                                        const std::function<RunInputs(const Compilation &)> &inputs,
                                                        const TimelineOptions &options, const std::stop_token &stop);

} // namespace sw
