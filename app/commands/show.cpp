#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/document_json.h"
#include "engine/api/describe.h"
#include "engine/api/stage_text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sw::command {

namespace {

constexpr std::array kStages{StageKind::Program, StageKind::Graph, StageKind::Schedule, StageKind::Loops,
                             StageKind::Lowered, StageKind::Code,  StageKind::Machine};

std::optional<StageKind> stageNamed(std::string_view name)
{
    const auto found = std::find_if(kStages.begin(), kStages.end(), [&](StageKind kind) { return nameOf(kind) == name; });
    return found == kStages.end() ? std::nullopt : std::optional(*found);
}

CompileUntil untilOf(StageKind stage)
{
    switch (stage) {
    case StageKind::Program:
        return CompileUntil::Program;
    case StageKind::Graph:
        return CompileUntil::Graph;
    case StageKind::Schedule:
    case StageKind::Loops:
    case StageKind::Lowered:
        return CompileUntil::Lowered;
    case StageKind::Code:
        return CompileUntil::Code;
    case StageKind::Machine:
        return CompileUntil::Machine;
    }
    SW_UNREACHABLE();
}

// What is to be shown, as a document and as text.
struct Shown {
    StageDocumentPtr document;
    std::string text;
};

Result<Shown> shownAfter(const Compilation &compilation, std::string_view pass, KernelId kernel)
{
    const std::vector<PassStep> &steps = compilation.pipeline.steps;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const PassStep &step) { return step.pass->id == pass; });
    if (found == steps.end())
        return Diagnostic::error(Code::Argument, {}, "no pass {} has run; there are {}", quoted(pass),
                                 join(steps, ", ", [](const PassStep &step) { return step.pass->id; }));
    return Shown{describeStage(found->after), stageText(found->after, kernel)};
}

// Nothing when the compilation did not come so far.
std::optional<Shown> shownStage(const Compilation &compilation, StageKind kind, KernelId kernel)
{
    switch (kind) {
    case StageKind::Program:
        if (compilation.sources == nullptr || compilation.sources->files().empty())
            return std::nullopt;
        return Shown{describeProgram(*compilation.sources), compilation.sources->file(SourceMap::programFile()).text};
    case StageKind::Graph:
        if (compilation.graph == nullptr)
            return std::nullopt;
        return Shown{describeGraph(*compilation.graph, compilation.schedule.get()), stageText(compilation.graph, kernel)};
    case StageKind::Schedule:
        if (compilation.schedule == nullptr)
            return std::nullopt;
        return Shown{describeSchedule(*compilation.schedule, compilation.loops.get()), stageText(compilation.schedule, kernel)};
    case StageKind::Loops:
        if (compilation.loops == nullptr)
            return std::nullopt;
        return Shown{describeLoops(*compilation.loops), stageText(compilation.loops, kernel)};
    case StageKind::Lowered:
        if (compilation.lowered == nullptr)
            return std::nullopt;
        return Shown{describeLowered(*compilation.lowered), stageText(compilation.lowered, kernel)};
    case StageKind::Code:
        if (compilation.code == nullptr)
            return std::nullopt;
        return Shown{describeCode(*compilation.lowered, *compilation.code), codeText(*compilation.code, kernel)};
    case StageKind::Machine:
        if (compilation.program == nullptr)
            return std::nullopt;
        return Shown{describeMachine(*compilation.lowered, *compilation.code, compilation.program->artifacts),
                     machineText(*compilation.program, kernel)};
    }
    SW_UNREACHABLE();
}

} // namespace

Outcome show(const Arguments &arguments, const Environment &environment)
{
    const std::optional<StageKind> stage = stageNamed(arguments.value("--stage", "lowered"));
    if (!stage)
        return usageFailed(
            {Diagnostic::error(Code::Argument, {}, "no stage is called {}; there are {}", quoted(arguments.value("--stage", {})),
                               join(kStages, ", ", [](StageKind kind) { return nameOf(kind); }))});
    Result<CompileRequest> request = requestOf(arguments, environment, untilOf(*stage));
    if (!request)
        return requestFailed(request.error());
    if (arguments.has("--after"))
        request->until = CompileUntil::Lowered;
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);

    KernelId kernel;
    if (compilation.schedule != nullptr) {
        Result<KernelId> chosen = chosenKernel(arguments, *compilation.schedule);
        if (!chosen)
            return usageFailed(chosen.error());
        kernel = *chosen;
    }
    Outcome outcome = failed(compilation.diagnostics);
    std::optional<Shown> shown;
    if (arguments.has("--after")) {
        Result<Shown> after = shownAfter(compilation, arguments.value("--after", {}), kernel);
        if (!after)
            return compilation.succeeded ? usageFailed(after.error()) : outcome;
        shown = std::move(*after);
    } else {
        shown = shownStage(compilation, *stage, kernel);
    }
    if (shown)
        outcome.output = arguments.has("--json") ? documentJson(*shown->document, kernel) : shown->text;
    return outcome;
}

} // namespace sw::command
