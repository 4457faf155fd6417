#pragma once
// Looks at one program more closely than the compilation that the window shows, which stays as it is: it compiles for itself, on
// devices of its own. Synchronous; serves one thread at a time.

#include "engine/api/explorer.h"
#include "engine/api/sweep_run.h"
#include "engine/api/timeline_recording.h"
#include "engine/api/tune/tune_run.h"
#include "engine/api/tune/use_tunings.h"

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

struct TuneAnswer {
    std::vector<KernelTuning> tunings;
    std::string error; // why it ended early; empty: it did not
};

struct ReproducedFolder {
    std::string kernel; // its name
    std::string folder;
    std::string command = {};           // that makes it, too; empty: it is not told
    std::chrono::milliseconds limit{0}; // for running what comes before the kernel; 0: none
};

class Instruments {
public:
    // figures: the store of what was measured on this machine, which tunings stand beside; null: there are none, and none are
    // kept.
    Instruments(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures = nullptr);

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
    // Likewise. Nothing that it finds is kept. What is kept already is tried first.
    [[nodiscard]] TuneAnswer tune(const ExploreRequest &program, const RunInputs &inputs, TunePlan plan,
                                  const std::stop_token &stop, const TuneObserver &observer = {}) const;
    // Lets later compilations use the list of a candidate. Returns why it is not kept; empty: it is.
    [[nodiscard]] std::string keep(const KernelTuning &tuning, std::size_t candidate, std::uint64_t seed) const;
    // What is kept for this key goes. Returns why not; empty: it is gone.
    [[nodiscard]] std::string forget(const std::string &key) const;

private:
    [[nodiscard]] Result<CompileRequest> requestOf(const ExploreRequest &program) const;

    const BackendRegistry &m_registry;
    std::string m_resourceFolder;
    const FiguresStore *m_figures;
    mutable KeptTunings m_tunings;
};

} // namespace sw
