// A second compilation beside the last one, to compare with.

#include "engine/api/describe.h"
#include "engine/api/explorer_implementation.h"
#include "engine/api/report_parts.h"

#include <exception>
#include <memory>
#include <utility>

namespace sw {

std::string firstErrorOf(const Report &report)
{
    for (const Message &message : report.messages)
        if (message.severity == MessageSeverity::Error)
            return message.text;
    return "it did not compile";
}

bool Explorer::Implementation::hasBaseline(const ExploreRequest &request) const
{
    return baseline && baseline->request == request &&
           (!request.tunings || baseline->compilation.target.options.tunings == tunings.current());
}

// False: it was stopped, and the baseline before is kept.
bool Explorer::Implementation::makeBaseline(const ExploreRequest &request, const std::stop_token &stop)
{
    const Disposal::Pause pause(disposal);
    Baseline made;
    made.request = request;
    Report told;
    told.device = request.device;
    const Result<CompileRequest> wanted = requestOf(request);
    Described described;
    described.figures = figures;
    if (!wanted) {
        told.messages = messagesOf(wanted.error(), {});
    } else {
        made.compilation = compiler.compile(*wanted, stop);
        try {
            if (!made.compilation.cancelled)
                fillReport(told, described, made.compilation, Expected::Nothing, stop);
        } catch (const std::exception &exception) {
            made.compilation.succeeded = false;
            for (Message &message : messagesOf({diagnosticOf(exception)}, programFileOf(made.compilation)))
                told.messages.push_back(std::move(message));
        }
        if (made.compilation.cancelled || stop.stop_requested()) {
            dispose({std::move(made.compilation), std::make_shared<const Report>(std::move(told)), std::move(described)});
            return false;
        }
        told.succeeded = made.compilation.succeeded;
    }
    made.report = std::make_shared<const Report>(std::move(told));
    if (baseline)
        dispose({std::move(baseline->compilation), {}, {}});
    baseline = std::move(made);
    return true;
}

ReportPtr Explorer::compileBaseline(const ExploreRequest &request, const std::stop_token &stop)
{
    return m_implementation->makeBaseline(request, stop) ? m_implementation->baseline->report : nullptr;
}

ReportPtr Explorer::baselineCode(const ExploreRequest &request, const std::stop_token &stop)
{
    Implementation &own = *m_implementation;
    const bool isThere = own.hasBaseline(request);
    if (!isThere && !own.makeBaseline(request, stop))
        return nullptr;
    Implementation::Baseline &baseline = *own.baseline;
    if (baseline.compilation.program == nullptr || baseline.hasCode)
        return baseline.report;
    Report report = *baseline.report;
    try {
        const auto kernels = static_cast<std::uint32_t>(baseline.compilation.program->artifacts.size());
        std::vector<MachineListing> listings(kernels);
        for (std::uint32_t kernel = 0; kernel < kernels; ++kernel) {
            if (stop.stop_requested())
                return nullptr;
            listings[kernel] = own.compiler.machineCode(baseline.compilation, KernelId(kernel));
        }
        report.machine = describeMachine(*baseline.compilation.lowered, *baseline.compilation.code, listings);
    } catch (const std::exception &exception) {
        for (Message &message : messagesOf({diagnosticOf(exception)}, programFileOf(baseline.compilation)))
            report.messages.push_back(std::move(message));
    }
    baseline.hasCode = true;
    return baseline.report = std::make_shared<const Report>(std::move(report));
}

PartingAnswer Explorer::partingPoint(const ExploreRequest &baseline, const std::stop_token &stop)
{
    Implementation &own = *m_implementation;
    const bool isThere = own.hasBaseline(baseline);
    if (!isThere && !own.makeBaseline(baseline, stop))
        return {};
    if (!own.baseline->report->succeeded)
        return {{}, format("the baseline: {}", firstErrorOf(*own.baseline->report))};
    if (own.report == nullptr || !own.report->succeeded)
        return {{}, own.report == nullptr ? "nothing is compiled yet" : firstErrorOf(*own.report)};
    try {
        return {partingPointOf(own.baseline->compilation, own.compilation, stop), {}};
    } catch (const std::exception &exception) {
        return {{}, diagnosticOf(exception).message};
    }
}

} // namespace sw
