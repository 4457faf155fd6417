#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/document_json.h"
#include "app/commands/sessions.h"
#include "app/commands/stage_documents.h"
#include "engine/api/describe.h"
#include "engine/api/machine_report.h"
#include "engine/api/stage_text.h"
#include "engine/backend/machine/cross_targets.h"
#include "engine/base/json.h"
#include "engine/base/whole_file.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace sw::command {

namespace {

// The stage to show, as a document and as text.
struct Shown {
    StageDocumentPtr document;
    std::string text;
};

// Which part of a stage's text to show, and what becomes of tensors that are too large for it.
struct TextPart {
    KernelId kernel;
    TensorFiles *files = nullptr;                 // where they go; null: nowhere
    std::int64_t maxTensorBytes = kMostTextBytes; // without files: larger ones are left out
    const FiguresStore *figures = nullptr;        // for the estimates of the document

    [[nodiscard]] std::string of(const Stage &stage) const { return stageText(stage, kernel, files, maxTensorBytes); }
};

Result<Shown> shownAfter(const Compilation &compilation, std::string_view pass, const TextPart &part)
{
    const std::vector<PassStep> &steps = compilation.pipeline.steps;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const PassStep &step) { return step.pass->id == pass; });
    if (found == steps.end())
        return Diagnostic::error(Code::Argument, {}, "no pass {} has run; there are {}", sw::quoted(pass),
                                 join(steps, ", ", [](const PassStep &step) { return step.pass->id; }));
    return Shown{describeStage(found->after), part.of(found->after)};
}

// Writes the text, but first the tensors too large for it, so that the text never names a missing file.
Result<Done> writeText(const std::string &file, const std::string &text, const TensorFiles &tensors)
{
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    for (const auto &[name, value] : tensors.files)
        SW_CHECK(writeNpyFile(folder / name, value));
    return writeWholeFile(file, {text}, Durability::Synced);
}

// Of a stage that the compilation reached.
std::string textOf(ProgramCompiler &compiler, const Compilation &compilation, StageKind kind, const TextPart &part)
{
    switch (kind) {
    case StageKind::Program:
        return compilation.sources->file(SourceMap::programFile()).text;
    case StageKind::Graph:
        return part.of(compilation.graph);
    case StageKind::Schedule:
        return part.of(compilation.schedule);
    case StageKind::Loops:
        return part.of(compilation.loops);
    case StageKind::Lowered:
        return part.of(compilation.lowered);
    case StageKind::Code:
        return codeText(*compilation.lowered, *compilation.code, part.kernel);
    case StageKind::Machine:
        return machineText(*compilation.lowered, compiler.machineListings(compilation, part.kernel));
    }
    SW_UNREACHABLE();
}

// Loops, registers and simulated throughput instead of the instructions.
std::string machineReports(const Compilation &compilation, std::span<const MachineListing> listings, bool isJson)
{
    std::string text;
    JsonWriter json;
    json.beginObject().field("version", 1).key("kernels").beginArray();
    for (std::size_t i = 0; i < listings.size(); ++i) {
        if (!listings[i])
            continue;
        const LoweredKernel &lowered = compilation.lowered->kernels.at(i);
        text += (text.empty() ? "" : "\n") + kernelHeading(*compilation.lowered, i) + '\n';
        if (*listings[i]) {
            text += machineReport(**listings[i], compilation.code->at(i), lowered);
            writeMachineReport(json, **listings[i], compilation.code->at(i), lowered);
        } else {
            text += "; " + machineNote(listings[i]->error()) + '\n';
            json.beginObject().field("name", lowered.name).field("problem", machineNote(listings[i]->error())).endObject();
        }
    }
    json.endArray().endObject();
    return isJson ? json.text() : text;
}

// Returns nothing if the compilation did not reach the stage.
std::optional<Shown> shownStage(ProgramCompiler &compiler, const Compilation &compilation, StageKind kind, const TextPart &part)
{
    StageDocumentPtr document = documentOf(compiler, compilation, kind, part.kernel, part.figures);
    if (document == nullptr)
        return std::nullopt;
    return Shown{std::move(document), textOf(compiler, compilation, kind, part)};
}

// The lines of a kernel, first and one past the last, without blank lines at their end. An invalid id: all lines.
std::pair<std::size_t, std::size_t> linesOf(const StageDocument &document, KernelId kernel)
{
    const std::vector<DocumentLine> &lines = document.lines;
    if (!kernel.isValid())
        return {0, lines.size()};
    std::size_t first = lines.size();
    std::size_t last = 0;
    if (kernel.value < document.parts.size()) {
        first = document.parts[kernel.value].line;
        last = kernel.value + 1 < document.parts.size() ? document.parts[kernel.value + 1].line : lines.size();
    } else {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].item == kNoIndex || document.items[lines[i].item].kernel != kernel.value)
                continue;
            first = std::min(first, i);
            last = i + 1;
        }
    }
    while (last > first && lines[last - 1].text.empty())
        --last;
    return {first, last};
}

// The stage as a session holds it. Nothing is compiled, so it works where the device is not available.
Outcome showKept(const Arguments &arguments, StageKind stage)
{
    const Result<SessionContents> session = openSession(arguments.positional().front());
    if (!session)
        return failed(session.error());
    const Report &report = session->report;
    const StageDocumentPtr document = keptDocument(report, stage);
    if (document == nullptr)
        return failed({Diagnostic::error(Code::File, {arguments.positional().front()},
                                         "the session has no stage {}: it was not reached", nameOf(stage))});
    KernelId kernel;
    if (arguments.has("--kernel")) {
        const std::string wanted = arguments.value("--kernel", {});
        const auto found = std::ranges::find(report.kernels, wanted, &KernelEntry::name);
        if (found == report.kernels.end())
            return usageFailed(
                {Diagnostic::error(Code::Argument, {}, "there is no kernel {}; there are {}", sw::quoted(wanted),
                                   join(report.kernels, ", ", [](const KernelEntry &entry) { return entry.name; }))});
        kernel = KernelId(static_cast<std::size_t>(found - report.kernels.begin()));
    }
    Outcome outcome;
    if (arguments.has("--json")) {
        outcome.output = documentJson(*document, kernel);
        return outcome;
    }
    const auto [first, last] = linesOf(*document, kernel);
    for (std::size_t line = first; line < last; ++line)
        outcome.output += document->lines[line].text + "\n";
    return outcome;
}

Result<Done> checkMachineOptions(const Arguments &arguments, StageKind stage)
{
    for (const std::string_view option : {"--mca", "--target"})
        if (arguments.has(option) && (stage != StageKind::Machine || arguments.has("--after")))
            return Diagnostic::error(Code::Argument, {}, "{} needs --stage machine, and no --after", option);
    if (arguments.has("--target"))
        SW_CHECK(crossTargetNamed(arguments.value("--target", {})));
    return Done{};
}

// An error where no machine code at all can be shown.
Outcome unreadable(std::span<const MachineListing> listings)
{
    const Result<MachineCode> *first = nullptr;
    for (const MachineListing &listing : listings) {
        if (!listing)
            continue;
        if (*listing)
            return {};
        if (first == nullptr)
            first = &*listing;
    }
    return first == nullptr ? Outcome() : failed(first->error());
}

} // namespace

Outcome show(const Arguments &arguments, const Environment &environment)
{
    const std::optional<StageKind> stage = stageNamed(arguments.value("--stage", "lowered"));
    if (!stage)
        return usageFailed({Diagnostic::error(Code::Argument, {}, "no stage is called {}; there are {}",
                                              sw::quoted(arguments.value("--stage", {})),
                                              join(kStages, ", ", [](StageKind kind) { return nameOf(kind); }))});
    if (Result<Done> allowed = checkMachineOptions(arguments, *stage); !allowed)
        return usageFailed(allowed.error());
    if (wantsWhatIsKept(arguments) && !arguments.has("-o"))
        return showKept(arguments, *stage);
    Result<CompileRequest> request = requestOf(arguments, environment, untilOf(*stage));
    if (!request)
        return requestFailed(request.error());
    if (arguments.has("--after"))
        request->until = CompileUntil::Lowered;
    if (arguments.has("--target")) // nothing is loaded
        request->until = CompileUntil::Code;
    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);

    KernelId kernel;
    if (compilation.schedule != nullptr) {
        Result<KernelId> chosen = chosenKernel(arguments, *compilation.schedule);
        if (!chosen)
            return usageFailed(chosen.error());
        kernel = *chosen;
    }
    Outcome outcome = failed(compilation.diagnostics);
    const std::string file = arguments.value("-o", {});
    TensorFiles tensors{std::filesystem::path(file).filename().string()};
    const TextPart part{.kernel = kernel,
                        .files = file.empty() || arguments.has("--all-values") ? nullptr : &tensors,
                        .maxTensorBytes = arguments.has("--all-values") ? kAllBytes : kMostTextBytes,
                        .figures = environment.figures};
    std::optional<Shown> shown;
    if (arguments.has("--after")) {
        Result<Shown> after = shownAfter(compilation, arguments.value("--after", {}), part);
        if (!after)
            return compilation.succeeded ? usageFailed(after.error()) : outcome;
        shown = std::move(*after);
    } else if (arguments.has("--mca") || arguments.has("--target")) {
        if (compilation.code == nullptr || !compilation.succeeded)
            return outcome;
        const auto listings = compiler.machineListings(compilation, kernel, arguments.value("--target", {}));
        if (Outcome none = unreadable(listings); none.exitCode != ExitCode::Success)
            return none;
        shown = arguments.has("--mca") ? Shown{nullptr, machineReports(compilation, listings, arguments.has("--json"))}
                                       : Shown{describeMachine(*compilation.lowered, *compilation.code, listings),
                                               machineText(*compilation.lowered, listings)};
    } else {
        shown = shownStage(compiler, compilation, *stage, part);
    }
    if (!shown)
        return outcome;
    outcome.output = arguments.has("--json") && shown->document ? documentJson(*shown->document, kernel) : shown->text;
    if (file.empty())
        return outcome;
    const Result<Done> written = writeText(file, std::exchange(outcome.output, {}), tensors);
    return written ? outcome : failed(written.error());
}

} // namespace sw::command
