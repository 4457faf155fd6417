#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/measuring.h"
#include "app/commands/other_request.h"
#include "engine/execute/measure_device.h"

namespace sw::command {

namespace {

std::uint32_t threadsOf(const Compilation &compilation)
{
    return compilation.threads == 0 ? compilation.target.device.threads : compilation.threads;
}

void writeExecution(JsonWriter &json, const Execution &execution, const StepEstimates &estimates)
{
    json.field("device", execution.compilation.target.device.id).field("threads", threadsOf(execution.compilation));
    json.key("compile").beginObject().key("stages").beginArray();
    for (const NamedTime &stage : execution.compilation.times)
        json.beginObject().field("name", stage.name).field("ns", static_cast<std::int64_t>(stage.time.count())).endObject();
    json.endArray().endObject();
    writeVerdict(json, execution);
    writeKernels(json, execution, estimates);
    writeEstimates(json, *execution.compilation.schedule, estimates);
    writeSteps(json, execution);
    json.key("total").beginObject();
    writeTiming(json, "ns", execution.result.total);
    writeParts(json, execution);
    json.endObject();
}

std::string jsonText(const Measured &measured, const Environment &environment)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion);
    const Execution &first = measured.executions.front();
    writeExecution(json, first, estimatesOf(first.compilation, environment));
    for (std::size_t i = 1; i < measured.executions.size(); ++i) {
        const Execution &other = measured.executions[i];
        json.key("with").beginObject();
        writeExecution(json, other, estimatesOf(other.compilation, environment));
        writeRatio(json, measured.ratios[i - 1]);
        json.endObject();
    }
    writeNotes(json, measured);
    json.endObject();
    return json.text();
}

std::string plainText(const Execution &execution, const Environment &environment)
{
    std::vector<std::vector<std::string>> rows{{"stage", "time"}};
    for (const NamedTime &stage : execution.compilation.times)
        rows.push_back({stage.name, timeText(stage.time)});
    return format("{}{}, {} threads, {} runs\n\n{}\n{}", verdictText(execution), execution.compilation.target.device.description,
                  threadsOf(execution.compilation), execution.result.total.runs, tableText(rows),
                  kernelTable(execution, estimatesOf(execution.compilation, environment)));
}

std::string plainText(const Measured &measured, const Environment &environment)
{
    std::string text = plainText(measured.executions.front(), environment);
    for (std::size_t i = 1; i < measured.executions.size(); ++i)
        text += format("\nwith the other options: {}\n\n{}", differenceText(measured.ratios[i - 1]),
                       plainText(measured.executions[i], environment));
    return measured.notes.empty() ? text : text + '\n' + notesText(measured);
}

// A failure here is only a warning, because the requested times are available.
Diagnostics measureMissing(ProgramCompiler &compiler, const Compilation &compilation, const Environment &environment)
{
    if (environment.figures == nullptr)
        return {};
    const auto measured = [&]() -> Result<Done> {
        SW_TRY(const std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
        return measureInto(*environment.figures, devices, Measure::Missing, environment.stop);
    }();
    Diagnostics warnings = measured ? Diagnostics() : measured.error();
    for (Diagnostic &warning : warnings)
        warning.severity = Severity::Warning;
    return warnings;
}

Result<Measured> measured(ProgramCompiler &compiler, const std::vector<CompileRequest> &requests, std::uint64_t seed,
                          const MeasureLimits &limits, const Environment &environment)
{
    std::vector<Prepared> all;
    for (const CompileRequest &request : requests) {
        SW_TRY(Prepared prepared, prepare(compiler, request, seed, environment.stop));
        all.push_back(std::move(prepared));
    }
    return measure(std::move(all), limits, environment.stop);
}

} // namespace

Outcome bench(const Arguments &arguments, const Environment &environment)
{
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<MeasurePlan> plan = planOf(arguments, {});
    const Result<std::chrono::milliseconds> limit = limitFrom(arguments);
    if (!seed || !plan || !limit)
        return usageFailed(!seed ? seed.error() : !plan ? plan.error() : limit.error());
    std::vector<CompileRequest> requests;
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    requests.push_back(*std::move(request));
    if (arguments.has("--with")) {
        Result<CompileRequest> other = otherRequest(arguments, environment, CompileUntil::Machine);
        if (!other)
            return requestFailed(other.error());
        requests.push_back(*std::move(other));
    }
    ProgramCompiler compiler(registryFor(arguments, requests.front(), environment));
    Result<Measured> done = measured(compiler, requests, *seed, {*plan, *limit}, environment);
    if (!done)
        return failed(done.error());
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (const auto compared = compareWithUnedited(done->executions[i], compiler, requests[i], *seed, environment.stop);
            !compared)
            return failed(compared.error());
    Diagnostics messages;
    for (const Execution &execution : done->executions) {
        const auto add = [&](const Diagnostics &more) { messages.insert(messages.end(), more.begin(), more.end()); };
        add(execution.compilation.diagnostics);
        add(execution.result.faults);
        // Measures after the run, so as not to disturb it.
        add(measureMissing(compiler, execution.compilation, environment));
    }
    Outcome outcome = failed(messages);
    for (const Execution &execution : done->executions)
        outcome.exitCode = exitCodeWith(outcome.exitCode, execution);
    outcome.output = arguments.has("--json") ? jsonText(*done, environment) : plainText(*done, environment);
    return outcome;
}

} // namespace sw::command
