#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/diff_text.h"
#include "app/commands/stage_documents.h"
#include "engine/api/compare/parting_point.h"
#include "engine/api/describe.h"
#include "engine/api/tensor_files.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw::command {

namespace {

constexpr std::uint64_t kMostWorst = 1'000'000;

constexpr std::array kSideOptions{kDeviceOption,    kInputOption,  kDimensionOption, kThreadsOption,
                                  kOverridesOption, kNoFuseOption, kNoOptimizeOption};

bool isTensorFile(const std::string &file)
{
    return file.ends_with(".npy");
}

// ---- tensors

Result<DifferenceMeasure> measureOf(const Arguments &arguments)
{
    const std::string wanted = arguments.value("--by", "absolute");
    for (const DifferenceMeasure measure : {DifferenceMeasure::Absolute, DifferenceMeasure::Relative, DifferenceMeasure::Ulp})
        if (nameOf(measure) == wanted)
            return measure;
    return Diagnostic::error(Code::Argument, {}, "--by is {}, not absolute, relative or ulp", sw::quoted(wanted));
}

Outcome diffTensors(const Arguments &arguments, const Environment &environment)
{
    const Result<std::uint64_t> worst = arguments.number("--worst", 10, 0, kMostWorst);
    const Result<DifferenceMeasure> by = measureOf(arguments);
    if (!worst || !by)
        return usageFailed(worst ? by.error() : worst.error());
    const Result<TensorViewPtr> before = loadNpy(arguments.positional()[0]);
    const Result<TensorViewPtr> after = before ? loadNpy(arguments.positional()[1]) : before;
    if (!after)
        return failed(after.error());
    TensorDifferenceOptions options;
    options.worst = *worst;
    options.by = *by;
    const Result<TensorDifference> difference = differenceOf(**before, **after, options, environment.stop);
    if (!difference)
        return failed(difference.error());
    return {difference->isEqual() ? ExitCode::Success : ExitCode::Different,
            arguments.has("--json") ? tensorJson(**before, *difference) : tensorText(**before, *difference),
            {}};
}

// ---- compilations

// The request of the second compilation: the other file, and the options of --with in the place of those on the line.
Result<CompileRequest> otherRequest(const Arguments &arguments, const Environment &environment, CompileUntil until)
{
    std::vector<std::string> words{"--", arguments.positional().back()};
    SW_TRY(const std::vector<std::string> with, wordsIn("--with", arguments.value("--with", {})));
    words.insert(words.begin(), with.begin(), with.end());
    SW_TRY(const Arguments own, Arguments::parse(with, kSideOptions));
    if (!own.positional().empty())
        return Diagnostic::error(Code::Argument, {}, "--with takes options, not {}", sw::quoted(own.positional().front()));
    for (const OptionInfo &option : kSideOptions)
        for (const std::string &value : arguments.values(option.name)) {
            const bool isReplaced = own.has(option.name) && option.count == OptionCount::Once;
            if (isReplaced)
                continue;
            words.insert(words.begin(), std::string(option.name));
            if (!option.value.empty())
                words.insert(words.begin() + 1, value);
        }
    SW_TRY(const Arguments all, Arguments::parse(words, kSideOptions));
    return requestOf(all, environment, until);
}

std::string summaryText(const std::vector<StageDifference> &stages)
{
    std::vector<std::vector<std::string>> rows{{"stage", "lines", "same", "shifted", "renamed", "moved", "changed", "removed",
                                                "added", "items changed", "removed", "added"}};
    for (const StageDifference &stage : stages) {
        std::vector<std::string> row{std::string(nameOf(stage.after->kind)),
                                     format("{} / {}", stage.before->lines.size(), stage.after->lines.size())};
        for (const std::uint32_t count : stage.text.counts)
            row.push_back(count == 0 ? "-" : format("{}", count));
        for (const ItemKind kind : {ItemKind::Changed, ItemKind::Removed, ItemKind::Added})
            row.push_back(stage.items.count(kind) == 0 ? "-" : format("{}", stage.items.count(kind)));
        rows.push_back(std::move(row));
    }
    return tableText(rows);
}

std::string jsonText(const std::vector<StageDifference> &stages, bool isDifferent, bool withRows)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("different", isDifferent);
    json.key("stages").beginArray();
    for (const StageDifference &stage : stages)
        writeDifference(json, stage, withRows);
    json.endArray().endObject();
    return json.text();
}

void writeSide(JsonWriter &json, std::string_view name, const PartingSide &side)
{
    json.key(name).beginObject();
    if (side.pass)
        json.field("pass", *side.pass);
    if (side.rewrite)
        json.field("rewrite", *side.rewrite).field("rule", side.rule).field("detail", side.detail);
    json.field("kernel", side.kernel).field("line", side.line).endObject();
}

// Where the two first part.
Outcome firstDifference(const Compilation &before, const Compilation &after, const Arguments &arguments,
                        const std::stop_token &stop)
{
    const std::optional<PartingPoint> point = partingPointOf(before, after, stop);
    Outcome outcome{point ? ExitCode::Different : ExitCode::Success, point ? point->text() : "no difference\n", {}};
    if (!arguments.has("--json"))
        return outcome;
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("different", point.has_value());
    if (point) {
        json.field("stage", nameOf(point->stage)).field("pass", point->passId);
        writeSide(json, "before", point->before);
        writeSide(json, "after", point->after);
    }
    json.endObject();
    outcome.output = json.text();
    return outcome;
}

Outcome diffPrograms(const Arguments &arguments, const Environment &environment)
{
    const bool isSummary = !arguments.has("--stage");
    const std::optional<StageKind> stage = stageNamed(arguments.value("--stage", nameOf(StageKind::Machine).data()));
    if (!stage)
        return usageFailed({Diagnostic::error(Code::Argument, {}, "no stage is called {}; there are {}",
                                              sw::quoted(arguments.value("--stage", {})),
                                              join(kStages, ", ", [](StageKind kind) { return nameOf(kind); }))});
    const Result<CompileRequest> request = requestOf(arguments, environment, untilOf(*stage));
    if (!request)
        return requestFailed(request.error());
    const Result<CompileRequest> other = otherRequest(arguments, environment, untilOf(*stage));
    if (!other)
        return requestFailed(other.error());

    ProgramCompiler compiler(environment.registry);
    const Compilation before = compileToLookAt(compiler, *request, environment.stop);
    const Compilation after = compileToLookAt(compiler, *other, environment.stop);
    Outcome outcome = failed(before.diagnostics);
    if (before.succeeded && outcome.exitCode == ExitCode::Success)
        outcome = failed(after.diagnostics);
    if (!before.succeeded || !after.succeeded || outcome.exitCode != ExitCode::Success)
        return outcome;
    if (arguments.has("--first"))
        return firstDifference(before, after, arguments, environment.stop);
    std::vector<StageDifference> stages;
    bool isDifferent = false;
    for (const StageKind kind : kStages) {
        if (!isSummary && kind != *stage)
            continue;
        StageDifference made;
        made.before = documentOf(compiler, before, kind);
        made.after = documentOf(compiler, after, kind);
        if (made.before == nullptr || made.after == nullptr) // a lowered text has no stages above it
            continue;
        made.text = differenceOf(*made.before, *made.after);
        made.items = graphDifferenceOf(*made.before, *made.after);
        isDifferent = isDifferent || made.text.isDifferent();
        stages.push_back(std::move(made));
    }
    if (stages.empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "one of the two has no stage {}", nameOf(*stage))});
    outcome.exitCode = isDifferent ? ExitCode::Different : ExitCode::Success;
    if (arguments.has("--json"))
        outcome.output = jsonText(stages, isDifferent, !isSummary);
    else
        outcome.output = isSummary ? summaryText(stages) : rowsText(stages.front());
    return outcome;
}

} // namespace

Outcome diff(const Arguments &arguments, const Environment &environment)
{
    const std::vector<std::string> &files = arguments.positional();
    const auto tensors = std::ranges::count_if(files, isTensorFile);
    if (tensors == 2)
        return diffTensors(arguments, environment);
    if (tensors != 0)
        return usageFailed({Diagnostic::error(Code::Argument, {}, "diff compares two .npy files or two programs, not {}",
                                              join(files, " and "))});
    if (files.size() == 1 && !arguments.has("--with"))
        return usageFailed({Diagnostic::error(
            Code::Argument, {}, "diff needs a second file, or --with OPTIONS for what the second compilation has")});
    return diffPrograms(arguments, environment);
}

} // namespace sw::command
