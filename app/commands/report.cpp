#include "app/commands/commands.h"
#include "app/commands/sessions.h"
#include "engine/api/report_page/report_page.h"
#include "engine/base/whole_file.h"

#include <filesystem>

namespace sw::command {

namespace {

std::string summaryOf(const Reported &reported)
{
    const Report &report = *reported.report;
    std::string text = format("device {}", report.device);
    for (const DeviceEntry &device : reported.explorer->devices())
        if (device.id == report.device)
            text += format(" ({})", device.description);
    if (!report.kernels.empty())
        text += format(", {} kernel{}", report.kernels.size(), report.kernels.size() == 1 ? "" : "s");
    if (report.totalMedianNanoseconds)
        text +=
            format(", {} for a run (median of {}), inputs from seed {}",
                   timeText(std::chrono::nanoseconds(*report.totalMedianNanoseconds)), reported.run.repeats, reported.run.seed);
    return text;
}

std::string summaryOf(const SessionContents &session)
{
    return format("device {}, kept by {} at {} on {}", session.device, session.savedBy, session.savedAt, session.machine);
}

// Also of a program with errors: the page shows the stages that there are, and the messages.
Outcome written(const std::string &file, const Report &report, const PageRequest &request)
{
    const ReportPage page = reportPage(report, request);
    if (const Result<Done> saved = writeWholeFile(file, {page.html}, Durability::Synced); !saved)
        return failed(saved.error());
    Outcome outcome = messagesOf(report);
    for (const std::string &what : page.leftOut)
        outcome.errors += format("{}: warning: left out: {}\n", file, what);
    return outcome;
}

} // namespace

Outcome report(const Arguments &arguments, const Environment &environment)
{
    const std::string file = arguments.value("-o", {});
    if (file.empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "report needs -o OUT.html")});
    if (wantsWhatIsKept(arguments) && !arguments.has("--no-run")) {
        const Result<SessionContents> session = openSession(arguments.positional().front());
        return session ? written(file, session->report, {session->fileName, summaryOf(*session)}) : failed(session.error());
    }
    const Result<Reported> reported = reportOf(arguments, environment, arguments.has("--no-run") ? Runs::No : Runs::Yes);
    if (!reported)
        return requestFailed(reported.error());
    const std::string title = std::filesystem::path(reported->request.fileName).filename().string();
    return written(file, *reported->report, {title, summaryOf(*reported)});
}

} // namespace sw::command
