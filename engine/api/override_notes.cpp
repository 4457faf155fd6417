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

std::span<const OverrideOutcome> outcomesOf(const Schedule &schedule, const LoopProgram *loops)
{
    return loops != nullptr && !loops->overrides.empty() ? loops->overrides : schedule.overrides;
}

Diagnostics overrideNotes(const Overrides &overrides, std::span<const OverrideOutcome> outcomes)
{
    Diagnostics notes;
    if (outcomes.size() != overrides.items.size()) {
        notes.push_back(
            Diagnostic::warning(Code::Unsupported, {}, "the overrides are not used: the kernels of this text are made already"));
        return notes;
    }
    for (std::size_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        const OverrideOutcome &outcome = outcomes[i];
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
