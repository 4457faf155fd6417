#include "engine/tune/candidate.h"

#include "engine/base/assert.h"

namespace sw {

std::string textOf(const TransformList &list)
{
    return join(list, "; ", [](const Transform &transform) { return toText(transform); });
}

std::string_view nameOf(CandidateSource source)
{
    switch (source) {
    case CandidateSource::Model:
        return "model";
    case CandidateSource::Kept:
        return "kept";
    case CandidateSource::Drawn:
        return "drawn";
    case CandidateSource::Edited:
        return "edited";
    case CandidateSource::Crossed:
        return "crossed";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(TrialState state)
{
    switch (state) {
    case TrialState::Timed:
        return "timed";
    case TrialState::Slower:
        return "slower";
    case TrialState::Wrong:
        return "wrong";
    case TrialState::Failed:
        return "failed";
    case TrialState::TooLarge:
        return "too large";
    case TrialState::Stopped:
        return "stopped";
    }
    SW_UNREACHABLE();
}

} // namespace sw
