#include "engine/api/override_notes.h"

#include "engine/graph/value_path.h"

#include <algorithm>

namespace sw {

namespace {

SourceRange placeOf(const Overrides &overrides, const Override &item)
{
    if (item.line == 0)
        return {};
    return {overrides.file, item.line, 1, item.line, 1};
}

// The value that a view leads to; the value itself when it is none.
NodeId computedFor(const Schedule &schedule, NodeId id)
{
    while (!schedule.kernelOf(id).isValid() && familyOf(schedule.graph->node(id).kind) == NodeFamily::Movement)
        id = schedule.graph->node(id).inputs.at(0);
    return id;
}

void addPlace(OverrideEntry &entry, const Schedule &schedule, NodeId value)
{
    if (!value.isValid())
        return;
    const NodeId node = computedFor(schedule, value);
    entry.nodes.push_back(node.value);
    const KernelId kernel = schedule.kernelOf(node);
    if (!kernel.isValid())
        return;
    const std::string &name = schedule.kernel(kernel).name;
    if (entry.where != name)
        entry.where += (entry.where.empty() ? "" : ", ") + name;
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

std::vector<OverrideEntry> overrideEntries(const Overrides &overrides, const Schedule &schedule, const LoopProgram *loops)
{
    std::vector<OverrideEntry> entries;
    if (overrides.items.empty())
        return entries;
    const std::span<const OverrideOutcome> outcomes = outcomesOf(schedule, loops);
    const ValuePaths paths(*schedule.graph);
    for (std::size_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        OverrideEntry entry;
        entry.text = toText(item);
        entry.kind = nameOf(item.kind);
        entry.isOn = item.isOn;
        entry.note = item.note;
        entry.line = item.line;
        if (outcomes.size() == overrides.items.size()) {
            entry.state = nameOf(outcomes[i].state);
            entry.reason = outcomes[i].reason;
        } else {
            entry.state = nameOf(OverrideState::Refused);
            entry.reason = "the kernels of this text are made already";
        }
        addPlace(entry, schedule, paths.find(item.value));
        if (!item.reader.empty())
            addPlace(entry, schedule, paths.find(item.reader));
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace sw
