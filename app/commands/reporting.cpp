#include "app/commands/reporting.h"

#include "app/commands/execution.h"
#include "engine/api/session_file/session_file.h"

#include <algorithm>
#include <numeric>

namespace sw::command {

namespace {

constexpr std::uint64_t kDefaultRepeats = 10;
constexpr std::uint64_t kMaxRepeats = 1'000'000;
constexpr std::uint32_t kWarmup = 2;

Result<ExploreRequest> exploreRequestOf(const Arguments &arguments, const CompileRequest &request)
{
    ExploreRequest made;
    made.fileName = request.program.fileName;
    made.text = request.program.text;
    made.isFile = !request.program.isText;
    made.device = request.device;
    static_cast<CompileSwitches &>(made) = switchesOf(request.options);
    made.threads = request.threads;
    if (arguments.has("--overrides")) {
        made.overridesName = arguments.value("--overrides", {});
        SW_TRY(made.overrides, readTextFile(made.overridesName));
    } else if (const std::string &file = arguments.positional().front(); isSessionFile(file)) {
        SW_TRY(const SessionContents session, openSession(file));
        made.overrides = session.overrides;
        made.overridesName = format("{}: overrides", file);
    }
    made.dimensions.insert(request.program.dimensions.begin(), request.program.dimensions.end());
    made.openDimensions = request.program.openDimensions;
    for (const NamedTensor &input : request.program.knownInputs)
        made.knownInputs.push_back(std::make_shared<const TensorView>(input.name, input.value));
    return made;
}

Severity severityOf(MessageSeverity severity)
{
    switch (severity) {
    case MessageSeverity::Error:
        return Severity::Error;
    case MessageSeverity::Warning:
        return Severity::Warning;
    case MessageSeverity::Note:
        return Severity::Note;
    }
    SW_UNREACHABLE();
}

Code codeNamed(std::string_view name)
{
#define SW_DIAGNOSTIC(code, codeName, exitClass) \
    if (name == (codeName))                      \
        return Code::code;
#include "engine/base/diagnostic_codes.def"
#undef SW_DIAGNOSTIC
    return Code::Internal; // of a session that somebody else made
}

// Also of a program that is not run: what is given has to be there.
Result<Done> addRunInputs(Reported &reported)
{
    const Report &report = *reported.report;
    const RunInputs known = reported.explorer->knownForRun(reported.request);
    for (const InputChoice &choice : known.inputs)
        if (std::ranges::find(report.inputs, choice.name, &InputEntry::name) == report.inputs.end())
            return Diagnostic::error(
                Code::UnknownName, {}, "the program has no input {}; it has {}", sw::quoted(choice.name),
                report.inputs.empty() ? "none" : join(report.inputs, ", ", [](const InputEntry &entry) { return entry.name; }));
    for (const auto &[name, value] : known.dimensions)
        if (std::ranges::find(report.dimensions, name, &DimensionEntry::name) == report.dimensions.end())
            return Diagnostic::error(Code::UnknownName, {}, "the program has no open dimension {}", sw::quoted(name));
    reported.run.inputs = known.inputs;
    reported.run.dimensions = known.dimensions;
    return Done{};
}

} // namespace

Result<Reported> reportOf(const Arguments &arguments, const Environment &environment, Runs runs)
{
    SW_TRY(const CompileRequest request, requestOf(arguments, environment, CompileUntil::Machine));
    Reported reported;
    SW_TRY(reported.request, exploreRequestOf(arguments, request));
    SW_TRY(reported.run.seed, seedOf(arguments));
    SW_TRY(const std::uint64_t repeats, arguments.number("--repeat", kDefaultRepeats, 1, kMaxRepeats));
    reported.run.repeats = static_cast<std::uint32_t>(repeats);
    reported.run.warmup = kWarmup;
    reported.explorer = std::make_shared<Explorer>(environment.registry, environment.resourceFolder, environment.figures);
    const auto keep = [&](const ReportPtr &report) {
        if (report != nullptr)
            reported.report = report;
        return report != nullptr;
    };
    if (!keep(reported.explorer->compile(reported.request, {}, environment.stop)))
        return Diagnostic::error(Code::Cancelled, {}, "stopped");
    if (!reported.report->succeeded)
        return reported;
    std::vector<std::uint32_t> kernels(reported.report->kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    keep(reported.explorer->readMachineCode(kernels, environment.stop));
    SW_CHECK(addRunInputs(reported));
    if (runs == Runs::Yes)
        keep(reported.explorer->run(reported.run, environment.stop));
    return reported;
}

Outcome messagesOf(const Report &report)
{
    Diagnostics diagnostics;
    for (const Message &message : report.messages) {
        Diagnostic diagnostic;
        diagnostic.severity = severityOf(message.severity);
        diagnostic.code = codeNamed(message.code);
        diagnostic.message = message.text;
        diagnostic.where = {message.file, message.line, message.column, message.endLine, message.endColumn};
        diagnostic.hint = message.hint;
        // A report has the notes of a message behind it, with its code.
        const bool belongsToTheLast =
            message.severity == MessageSeverity::Note && !diagnostics.empty() && diagnostics.back().code == diagnostic.code;
        (belongsToTheLast ? diagnostics.back().notes : diagnostics).push_back(std::move(diagnostic));
    }
    return failed(diagnostics);
}

} // namespace sw::command
