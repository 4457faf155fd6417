#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/counters.h"
#include "app/commands/cycles.h"
#include "app/commands/measuring.h"
#include "app/commands/other_request.h"
#include "engine/api/timeline_recording.h"
#include "engine/execute/measure_device.h"

namespace sw::command {

namespace {

std::uint32_t threadsOf(const Compilation &compilation)
{
    return compilation.threads == 0 ? compilation.target.device.threads : compilation.threads;
}

// A program as it was measured, and what was counted beside it, if somebody asked.
struct Counted {
    const Execution &execution;
    const RecordedTimelines *counters = nullptr;
    const ProgramCycles *cycles = nullptr;
};

void writeExecution(JsonWriter &json, const Counted &counted, const StepEstimates &estimates)
{
    const Execution &execution = counted.execution;
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
    if (counted.counters != nullptr)
        writeCounters(json, *counted.counters);
    if (counted.cycles != nullptr)
        writeCycles(json, *counted.cycles);
}

// Of each program; none when nobody asked.
struct Counters {
    std::vector<RecordedTimelines> hardware = {};
    std::vector<ProgramCycles> cycles = {};
};

Counted at(const Measured &measured, const Counters &counters, std::size_t i)
{
    return {measured.executions[i], counters.hardware.empty() ? nullptr : &counters.hardware[i],
            counters.cycles.empty() ? nullptr : &counters.cycles[i]};
}

std::string jsonText(const Measured &measured, const Counters &counters, const Environment &environment)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion);
    writeExecution(json, at(measured, counters, 0), estimatesOf(measured.executions.front().compilation, environment));
    for (std::size_t i = 1; i < measured.executions.size(); ++i) {
        json.key("with").beginObject();
        writeExecution(json, at(measured, counters, i), estimatesOf(measured.executions[i].compilation, environment));
        writeRatio(json, measured.ratios[i - 1]);
        json.endObject();
    }
    writeNotes(json, measured);
    json.endObject();
    return json.text();
}

std::string plainText(const Counted &counted, const Environment &environment)
{
    const Execution &execution = counted.execution;
    std::vector<std::vector<std::string>> rows{{"stage", "time"}};
    for (const NamedTime &stage : execution.compilation.times)
        rows.push_back({stage.name, timeText(stage.time)});
    std::string counts = counted.counters == nullptr ? "" : '\n' + countersText(*counted.counters);
    if (counted.cycles != nullptr)
        counts += '\n' + cyclesText(*counted.cycles);
    return format("{}{}, {} threads, {} runs\n\n{}\n{}{}", verdictText(execution),
                  execution.compilation.target.device.description, threadsOf(execution.compilation), execution.result.total.runs,
                  tableText(rows), kernelTable(execution, estimatesOf(execution.compilation, environment)), counts);
}

std::string plainText(const Measured &measured, const Counters &counters, const Environment &environment)
{
    std::string text = plainText(at(measured, counters, 0), environment);
    for (std::size_t i = 1; i < measured.executions.size(); ++i)
        text += format("\nwith the other options: {}\n\n{}", differenceText(measured.ratios[i - 1]),
                       plainText(at(measured, counters, i), environment));
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

// In runs of their own, because counting takes time.
Result<Counters> counted(const Arguments &arguments, const std::vector<CompileRequest> &requests, std::uint64_t seed,
                         const Environment &environment)
{
    Counters counters;
    if (!arguments.has("--counters"))
        return counters;
    for (const CompileRequest &request : requests) {
        const auto inputs = [&](const Compilation &compilation) { return runInputsOf(request, compilation, seed); };
        SW_TRY(RecordedTimelines made, recordTimelines(registryFor(arguments, request, environment), request, inputs,
                                                       {.counters = WithCounters::Yes}, environment.stop));
        counters.hardware.push_back(std::move(made));
    }
    return counters;
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
    std::vector<ProgramCycles> cycles; // right after the runs, because clocks change
    if (arguments.has("--mca"))
        for (const Execution &execution : done->executions)
            cycles.push_back(cyclesOfProgram(compiler, execution, environment));
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (const auto compared = compareWithUnedited(done->executions[i], compiler, requests[i], *seed, environment.stop);
            !compared)
            return failed(compared.error());
    Result<Counters> counters = counted(arguments, requests, *seed, environment);
    if (!counters)
        return failed(counters.error());
    counters->cycles = std::move(cycles);
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
    outcome.output = arguments.has("--json") ? jsonText(*done, *counters, environment) : plainText(*done, *counters, environment);
    return outcome;
}

} // namespace sw::command
