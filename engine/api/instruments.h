#pragma once
// Looks at one program more closely than the compilation that the window shows, which stays as it is: it compiles for itself, on
// devices of its own. Synchronous; serves one thread at a time.

#include "engine/api/explorer.h"
#include "engine/api/sweep_run.h"
#include "engine/api/timeline_recording.h"

#include <memory>
#include <stop_token>
#include <string>

namespace sw {

struct TimelineAnswer {
    std::shared_ptr<const RecordedTimelines> timelines; // null: the error says why
    std::string error;
};

struct SweepAnswer {
    Sweep sweep;
    std::string error; // why it ended before its last value; empty: it did not
};

struct ReproducedFolder {
    std::string kernel; // its name
    std::string folder;
    std::string command = {};           // that makes it, too; empty: it is not told
    std::chrono::milliseconds limit{0}; // for running what comes before the kernel; 0: none
};

class Instruments {
public:
    Instruments(const BackendRegistry &registry, std::string resourceFolder);

    // Never throws.
    [[nodiscard]] TimelineAnswer timelines(const ExploreRequest &program, const RunInputs &inputs, const TimelineOptions &options,
                                           const std::stop_token &stop) const;
    // Writes a folder that reproduces a kernel alone (engine/api/reproduce), by its name. Returns why it was not written; empty:
    // it was. Likewise never throws.
    [[nodiscard]] std::string reproduce(const ExploreRequest &program, const RunInputs &inputs, const ReproducedFolder &wanted,
                                        const std::stop_token &stop) const;
    // Likewise. observer: on the thread that called.
    [[nodiscard]] SweepAnswer sweep(const ExploreRequest &program, const RunInputs &inputs, const SweepPlan &plan,
                                    const std::stop_token &stop, const SweepObserver &observer = {}) const;

private:
    const BackendRegistry &m_registry;
    std::string m_resourceFolder;
};

} // namespace sw
