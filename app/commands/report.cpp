#include "app/commands/commands.h"
#include "app/commands/reporting.h"
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

} // namespace

Outcome report(const Arguments &arguments, const Environment &environment)
{
    const std::string file = arguments.value("-o", {});
    if (file.empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "report needs -o OUT.html")});
    const Result<Reported> reported = reportOf(arguments, environment, arguments.has("--no-run") ? Runs::No : Runs::Yes);
    if (!reported)
        return requestFailed(reported.error());
    PageRequest request;
    request.title = std::filesystem::path(reported->request.fileName).filename().string();
    request.summary = summaryOf(*reported);
    const ReportPage page = reportPage(*reported->report, request);
    Outcome outcome = messagesOf(*reported->report);
    // Also of a program with errors: the page shows the stages that there are, and the messages.
    if (const Result<Done> written = writeWholeFile(file, {page.html}, Durability::Synced); !written)
        return failed(written.error());
    for (const std::string &what : page.leftOut)
        outcome.errors += format("{}: warning: left out: {}\n", file, what);
    return outcome;
}

} // namespace sw::command
