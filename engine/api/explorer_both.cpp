// The last compilation and its baseline, run beside each other.

#include "engine/api/explorer_implementation.h"
#include "engine/api/report_parts.h"
#include "engine/execute/measure_runs.h"
#include "engine/execute/run_limit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

namespace sw {

namespace {

constexpr double kProgressSteps = 1000;

} // namespace

Result<std::unique_ptr<Executor>> Explorer::Implementation::executorOf(const Compilation &of, const RunInputs &wanted)
{
    SW_TRY(const auto values, inputValues(*of.graph, wanted));
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(of));
    return Executor::prepare(std::move(devices), of.program, values, {}, wanted.dimensions);
}

// With its memory on its devices, and run once: what cannot run fails here, and not in the measurement of both.
Result<std::unique_ptr<Executor>> Explorer::Implementation::readyBaseline(const RunInputs &wanted, const std::stop_token &stop)
{
    SW_TRY(std::unique_ptr<Executor> executor, executorOf(baseline->compilation, wanted));
    SW_TRY(const auto time, executor->runRound(Round::WarmUp, stop));
    static_cast<void>(time);
    return executor;
}

Result<MeasuredRuns> Explorer::Implementation::measureBoth(Executor &before, const RunRequest &request,
                                                           const std::stop_token &stop)
{
    SW_TRY(const auto after, executorOf(compilation, inputsOf(request)));
    const auto observe = [&](double part) {
        if (request.onProgress)
            request.onProgress(static_cast<std::uint64_t>(std::lround(part * kProgressSteps)),
                               static_cast<std::uint64_t>(kProgressSteps));
    };
    const std::array executors{&before, after.get()};
    return measureInTurn(executors, MeasurePlan(), stop, observe);
}

BothRuns Explorer::runBoth(const ExploreRequest &baseline, const RunRequest &request, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    BothRuns made;
    if (own.report == nullptr || own.compilation.program == nullptr)
        return made;
    const bool isThere = own.hasBaseline(baseline);
    if (!isThere && !own.makeBaseline(baseline, stop))
        return made;
    if (!own.baseline->report->succeeded || own.baseline->compilation.program == nullptr) {
        made.error = firstErrorOf(*own.baseline->report);
        made.now = run(request, stop);
        return made;
    }
    const RunInputs inputs = inputsOf(request);
    Report now = *own.report;
    now.messages = messagesOf(own.compilation.diagnostics, programFileOf(own.compilation));
    now.outputs.clear();
    const auto tell = [&](const Diagnostics &errors) {
        const std::vector<Message> more = messagesOf(errors, programFileOf(own.compilation));
        now.messages.insert(now.messages.end(), more.begin(), more.end());
    };
    try {
        const RunLimit limit(request.limit, stop);
        const Result<std::unique_ptr<Executor>> ready = own.readyBaseline(inputs, limit.token());
        if (stop.stop_requested())
            return {};
        if (!ready) {
            made.error = firstError(limit.errorsOf(ready.error()));
            made.now = run(request, stop);
            return made;
        }
        const Result<MeasuredRuns> runs = own.measureBoth(**ready, request, limit.token());
        if (stop.stop_requested())
            return {};
        if (!runs) {
            tell(limit.errorsOf(runs.error()));
        } else {
            Implementation::Baseline &kept = *own.baseline;
            Report before = *kept.report;
            addRun(before, runs->results[0], inputs, programFileOf(kept.compilation));
            before.figures = own.programFigures(kept.compilation, runs->results[0].total);
            addRun(now, runs->results[1], inputs, programFileOf(own.compilation));
            now.figures = own.programFigures(own.compilation, runs->results[1].total);
            own.inputs = inputs;
            made.difference = differenceText(runs->ratios.front());
            made.notes = runs->notes;
            made.baseline = kept.report = std::make_shared<const Report>(std::move(before));
        }
    } catch (const std::exception &exception) {
        tell({diagnosticOf(exception)});
    }
    made.now = own.report = std::make_shared<const Report>(std::move(now));
    return made;
}

ValueOpening Explorer::baselineValue(const ExploreRequest &baseline, std::uint32_t node, ValueSource source, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const bool isThere = own.hasBaseline(baseline);
    if (!isThere && !own.makeBaseline(baseline, stop))
        return {};
    if (!own.baseline->report->succeeded)
        return {nullptr, format("the baseline: {}", firstErrorOf(*own.baseline->report))};
    ValueOpening opening = own.nodeValues(own.baseline->compilation, {node}, source, stop).front();
    if (!opening.error.empty())
        opening.error = format("the baseline: {}", opening.error);
    return opening;
}

} // namespace sw
