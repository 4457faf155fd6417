#include "engine/api/override_notes.h"

namespace sw {

namespace {

SourceRange placeOf(const Overrides &overrides, const Override &item)
{
    if (item.line == 0)
        return {};
    return {overrides.file, item.line, 1, item.line, 1};
}

} // namespace

Diagnostics overrideNotes(const Overrides &overrides, const Schedule &schedule)
{
    Diagnostics notes;
    if (schedule.overrides.size() != overrides.items.size()) {
        notes.push_back(
            Diagnostic::warning(Code::Unsupported, {}, "the overrides are not used: the kernels of this text are made already"));
        return notes;
    }
    for (std::size_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        const OverrideOutcome &outcome = schedule.overrides[i];
        if (outcome.state == OverrideState::Refused)
            notes.push_back(Diagnostic::warning(Code::Unsupported, placeOf(overrides, item), "the override {} is not applied: {}",
                                                quoted(toText(item)), outcome.reason));
        if (outcome.state == OverrideState::Unknown)
            notes.push_back(Diagnostic::warning(Code::UnknownName, placeOf(overrides, item), "the override {} is not applied: {}",
                                                quoted(toText(item)), outcome.reason));
    }
    return notes;
}

} // namespace sw
