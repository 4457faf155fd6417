#include "app/commands/stage_documents.h"

#include "engine/api/describe.h"
#include "engine/api/device_figures.h"

#include <algorithm>

namespace sw::command {

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

StageDocumentPtr documentOf(ProgramCompiler &compiler, const Compilation &compilation, StageKind stage, KernelId kernel,
                            const FiguresStore *figures)
{
    switch (stage) {
    case StageKind::Program:
        return compilation.sources == nullptr || compilation.sources->files().empty() ? nullptr
                                                                                      : describeProgram(*compilation.sources);
    case StageKind::Graph:
        return compilation.graph == nullptr ? nullptr : describeGraph(*compilation.graph, compilation.schedule.get());
    case StageKind::Schedule:
        return compilation.schedule == nullptr
                   ? nullptr
                   : describeSchedule(*compilation.schedule, compilation.loops.get(), figuresOf(compilation.target, figures));
    case StageKind::Loops:
        return compilation.loops == nullptr ? nullptr : describeLoops(*compilation.loops);
    case StageKind::Lowered:
        return compilation.lowered == nullptr ? nullptr : describeLowered(*compilation.lowered);
    case StageKind::Code:
        return compilation.code == nullptr ? nullptr : describeCode(*compilation.lowered, *compilation.code);
    case StageKind::Machine:
        return compilation.program == nullptr
                   ? nullptr
                   : describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation, kernel));
    }
    SW_UNREACHABLE();
}

} // namespace sw::command
