#pragma once
// Looks at one program more closely than the compilation that the window shows, which stays as it is: it compiles for itself, on
// devices of its own. Synchronous; serves one thread at a time.

#include "engine/api/explorer.h"
#include "engine/api/timeline_recording.h"

#include <memory>
#include <stop_token>
#include <string>

namespace sw {

struct TimelineAnswer {
    std::shared_ptr<const RecordedTimelines> timelines; // null: the error says why
    std::string error;
};

class Instruments {
public:
    Instruments(const BackendRegistry &registry, std::string resourceFolder);

    // Never throws.
    [[nodiscard]] TimelineAnswer timelines(const ExploreRequest &program, const RunInputs &inputs, const TimelineOptions &options,
                                           const std::stop_token &stop) const;

private:
    const BackendRegistry &m_registry;
    std::string m_resourceFolder;
};

} // namespace sw
