#include "engine/api/override_notes.h"

#include "engine/api/report_parts.h"
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

void addNote(Diagnostics &notes, const Overrides &overrides, const Override &item, const OverrideOutcome &outcome)
{
    if (outcome.state != OverrideState::Refused && outcome.state != OverrideState::Unknown)
        return;
    const Code code = outcome.state == OverrideState::Unknown ? Code::UnknownName : Code::Unsupported;
    notes.push_back(Diagnostic::warning(code, placeOf(overrides, item), "the override {} is not applied: {}",
                                        quoted(titleOf(item)), outcome.reason));
}

KernelId editedKernel(const Compilation &compilation, std::uint32_t override)
{
    for (const auto *edits : {compilation.lowered == nullptr ? nullptr : &compilation.lowered->edits, &compilation.edits.edits})
        if (edits != nullptr)
            for (const KernelEdit &edit : *edits)
                if (edit.override == override)
                    return edit.kernel;
    return {};
}

std::vector<Message> problemsOf(const Compilation &compilation, std::uint32_t override)
{
    std::vector<Message> problems;
    const auto add = [&](const std::vector<KernelEdit> &edits) {
        for (const KernelEdit &edit : edits)
            if (edit.override == override)
                std::ranges::move(messagesOf(edit.problems, {}), std::back_inserter(problems));
    };
    if (compilation.lowered != nullptr)
        add(compilation.lowered->edits);
    add(compilation.edits.edits);
    return problems;
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
    for (std::size_t i = 0; i < overrides.items.size(); ++i)
        if (overrides.items[i].kind != OverrideKind::Code)
            addNote(notes, overrides, overrides.items[i], outcomes[i]);
    return notes;
}

Diagnostics editNotes(const Overrides &overrides, std::span<const KernelEdit> edits)
{
    Diagnostics notes;
    for (const KernelEdit &edit : edits) {
        const Override &item = overrides.items.at(edit.override);
        if (edit.problems.empty())
            addNote(notes, overrides, item, edit.outcome);
        for (Diagnostic problem : edit.problems) {
            const bool isPlaced = problem.where.isKnown();
            problem.severity = Severity::Warning;
            problem.where = isPlaced ? placeInFile(overrides, item, problem.where) : placeOf(overrides, item);
            problem.message = format("the override {} is not applied: {}", quoted(titleOf(item)), problem.message);
            notes.push_back(std::move(problem));
        }
    }
    return notes;
}

std::vector<OverrideOutcome> outcomesOf(const Compilation &compilation)
{
    const std::span<const OverrideOutcome> decided = outcomesOf(*compilation.schedule, compilation.loops.get());
    std::vector<OverrideOutcome> outcomes(decided.begin(), decided.end());
    for (const auto &edits :
         {compilation.lowered == nullptr ? std::vector<KernelEdit>() : compilation.lowered->edits, compilation.edits.edits})
        for (const KernelEdit &edit : edits)
            outcomes.at(edit.override) = edit.outcome;
    return outcomes;
}

std::vector<OverrideEntry> overrideEntries(const Compilation &compilation)
{
    const Overrides &overrides = compilation.target.options.overrides;
    std::vector<OverrideEntry> entries;
    if (overrides.items.empty())
        return entries;
    const Schedule &schedule = *compilation.schedule;
    const std::vector<OverrideOutcome> outcomes = outcomesOf(compilation);
    const ValuePaths paths(*schedule.graph);
    for (std::size_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        OverrideEntry entry;
        entry.text = toText(item);
        entry.title = titleOf(item);
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
        entry.problems = problemsOf(compilation, static_cast<std::uint32_t>(i));
        addPlace(entry, schedule, paths.find(item.value));
        if (const KernelId edited = editedKernel(compilation, static_cast<std::uint32_t>(i)); edited.isValid())
            entry.where = schedule.kernel(edited).name;
        if (!item.reader.empty())
            addPlace(entry, schedule, paths.find(item.reader));
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace sw
