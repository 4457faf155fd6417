#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/diff_text.h"
#include "app/commands/other_request.h"
#include "app/commands/stage_documents.h"
#include "engine/api/compare/parting_point.h"
#include "engine/api/describe.h"
#include "engine/api/tensor_files.h"

#include <algorithm>

namespace sw::command {

namespace {

constexpr std::uint64_t kMostWorst = 1'000'000;

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

// The kernel of --kernel in both compilations; invalid: it has none there.
struct ComparedKernel {
    std::uint32_t before = kNoIndex;
    std::uint32_t after = kNoIndex;
};

// The one of that name or number in the second compilation, or else in the first, and what belongs to it in the other.
Result<ComparedKernel> comparedKernel(const Arguments &arguments, const Compilation &before, const Compilation &after)
{
    if (before.schedule == nullptr || after.schedule == nullptr)
        return Diagnostic::error(Code::Argument, {}, "--kernel: one of the two has no kernels");
    const Result<KernelId> inAfter = chosenKernel(arguments, *after.schedule);
    const Result<KernelId> inBefore = chosenKernel(arguments, *before.schedule);
    if (!inAfter && !inBefore)
        return inAfter.failure();
    const StageDocumentPtr from = describeSchedule(*before.schedule, before.loops.get());
    const StageDocumentPtr to = describeSchedule(*after.schedule, after.loops.get());
    const auto isKernel = [](const DocumentItem &item) { return std::ranges::find(item.tags, "kernel") != item.tags.end(); };
    for (const ItemDifference &item : graphDifferenceOf(*from, *to).items) {
        const std::uint32_t kernelBefore =
            item.before != kNoIndex && isKernel(from->items[item.before]) ? from->items[item.before].kernel : kNoIndex;
        const std::uint32_t kernelAfter =
            item.after != kNoIndex && isKernel(to->items[item.after]) ? to->items[item.after].kernel : kNoIndex;
        const bool isIt = inAfter ? kernelAfter == inAfter->value : kernelBefore == inBefore->value;
        if (isIt)
            return ComparedKernel{kernelBefore, kernelAfter};
    }
    return inAfter.failure();
}

// Only what is of the kernel.
void limitTo(StageDifference &difference, const ComparedKernel &kernel)
{
    const auto isOf = [](const StageDocument &document, ItemIndex item, std::uint32_t wanted) {
        return item < document.items.size() && wanted != kNoIndex && document.items[item].kernel == wanted;
    };
    const auto isLine = [&](const StageDocument &document, std::uint32_t line, std::uint32_t wanted) {
        return line != kNoIndex && isOf(document, document.lines[line].item, wanted);
    };
    std::erase_if(difference.text.rows, [&](const RowPair &row) {
        return !isLine(*difference.before, row.before, kernel.before) && !isLine(*difference.after, row.after, kernel.after);
    });
    difference.text.counts = {};
    for (const RowPair &row : difference.text.rows)
        if (row.kind != RowKind::Moved || row.before != kNoIndex)
            ++difference.text.counts[static_cast<std::size_t>(row.kind)];
    difference.items.counts = {};
    for (ItemDifference &item : difference.items.items) {
        if (!isOf(*difference.before, item.before, kernel.before) && !isOf(*difference.after, item.after, kernel.after))
            item.kind = ItemKind::Same;
        else
            ++difference.items.counts[static_cast<std::size_t>(item.kind)];
    }
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
    std::optional<ComparedKernel> kernel;
    if (arguments.has("--kernel")) {
        const Result<ComparedKernel> chosen = comparedKernel(arguments, before, after);
        if (!chosen)
            return usageFailed(chosen.error());
        kernel = *chosen;
    }
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
        if (kernel)
            limitTo(made, *kernel);
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
