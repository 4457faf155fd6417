#include "app/commands/sessions.h"

#include "engine/api/session_file/session_origin.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace sw::command {

namespace {

Result<Done> addInput(CompileRequest &request, const InputChoice &choice, const std::filesystem::path &file)
{
    const bool isGiven =
        std::ranges::find(request.program.knownInputs, choice.name, &NamedTensor::name) != request.program.knownInputs.end();
    if (isGiven || (choice.fill == InputFill::Program && choice.changes.empty()))
        return Done{};
    if (choice.tensor == nullptr || !choice.changes.empty())
        return Diagnostic::error(Code::Unsupported, {file.string()},
                                 "the session fills input {} with {}, which only the window does", sw::quoted(choice.name),
                                 describe(choice))
            .withHint(format("give the input with --input {}=FILE.npy", choice.name));
    request.program.knownInputs.push_back({choice.name, choice.tensor->tensor()});
    return Done{};
}

} // namespace

Result<Done> addSession(CompileRequest &request, const Arguments &arguments, const SessionContents &session,
                        const std::filesystem::path &file)
{
    if (!session.program)
        return Diagnostic::error(Code::File, {file.string()},
                                 "the session does not hold its program {} of {} bytes, so it cannot be compiled",
                                 session.fileName, session.programBytes)
            .withHint(format("compile {} itself; show and report work on the session as it is", session.originalPath));
    request.program.fileName = (file.parent_path() / session.fileName).string();
    request.program.text = *session.program;
    request.program.isText = true;
    if (!arguments.has("--device"))
        request.device = session.device;
    switchOff(request.options, session);
    if (!arguments.has("--threads"))
        request.threads = session.threads;
    if (!arguments.has("--overrides") && !session.overrides.empty()) {
        SW_TRY(request.options.overrides, parseOverrides(session.overrides, format("{}: overrides", file.string())));
    }
    for (const auto &[name, size] : session.dimensions)
        if (!request.program.openDimensions.contains(name))
            request.program.dimensions.emplace(name, size);
    for (const auto &[name, range] : session.openDimensions)
        if (!request.program.dimensions.contains(name))
            request.program.openDimensions.emplace(name, range);
    for (const InputChoice &choice : session.inputs.inputs)
        SW_CHECK(addInput(request, choice, file));
    return Done{};
}

bool wantsWhatIsKept(const Arguments &arguments)
{
    constexpr std::array kChanging{"--after", "--device", "--input", "--dim", "--overrides", "--threads",
                                   "--seed",  "--repeat", "--code",  "--mca", "--target"};
    return isSessionFile(arguments.positional().front()) && switchesOf(arguments) == CompileSwitches() &&
           std::ranges::none_of(kChanging, [&](const char *option) { return arguments.has(option); });
}

StageDocumentPtr keptDocument(const Report &report, StageKind stage)
{
    switch (stage) {
    case StageKind::Program:
        return report.program;
    case StageKind::Graph:
        return report.graph;
    case StageKind::Schedule:
        return report.schedule;
    case StageKind::Loops:
        return report.loops;
    case StageKind::Lowered:
        return report.lowered;
    case StageKind::Code:
        return report.code;
    case StageKind::Machine:
        return report.machine;
    }
    SW_UNREACHABLE();
}

Result<SessionContents> contentsOf(const Reported &reported, const std::stop_token &stop)
{
    const ExploreRequest &request = reported.request;
    SessionContents contents;
    const std::filesystem::path path = std::filesystem::absolute(request.fileName);
    contents.fileName = path.filename().string();
    contents.originalPath = path.string();
    std::string program = request.text;
    if (request.isFile) {
        SW_TRY(program, readTextFile(request.fileName));
    }
    keepProgram(contents, std::move(program), kMostProgramBytes);
    contents.device = reported.report->device;
    contents.overrides = request.overrides;
    static_cast<CompileSwitches &>(contents) = request;
    contents.threads = request.threads;
    contents.repeats = reported.run.repeats;
    contents.dimensions = request.dimensions;
    contents.openDimensions = request.openDimensions;
    contents.inputs = {reported.run.seed, reported.run.dimensions, {}};
    for (const TensorViewPtr &input : request.knownInputs) {
        InputChoice choice;
        choice.name = input->name();
        choice.fill = InputFill::Tensor;
        choice.tensor = input;
        contents.inputs.inputs.push_back(std::move(choice));
    }
    contents.report = *reported.report;
    for (std::uint32_t pass = 0; pass < contents.report.passes.size(); ++pass)
        if (contents.report.passes[pass].rewrites > 0)
            contents.rewrites.push_back({pass, reported.explorer->rewrites(pass, 0, kMostKeptRewrites, stop)});
    contents.machine = machineText(reported.explorer->devices(), reported.report->device);
    contents.savedBy = "stepwellc";
    contents.savedAt = timeTextNow();
    return contents;
}

} // namespace sw::command
