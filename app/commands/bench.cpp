#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/execute/measure_device.h"

namespace sw::command {

namespace {

constexpr std::uint64_t kDefaultRepeats = 10;
constexpr std::uint64_t kMaxRepeats = 1'000'000;
constexpr std::uint32_t kWarmup = 2;

std::uint32_t threadsOf(const Compilation &compilation)
{
    return compilation.threads == 0 ? compilation.target.device.threads : compilation.threads;
}

std::string jsonText(const Execution &execution, const StepEstimates &estimates)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", execution.compilation.target.device.id);
    json.field("threads", threadsOf(execution.compilation));
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
    json.endObject().endObject();
    return json.text();
}

std::string plainText(const Execution &execution, const StepEstimates &estimates)
{
    std::vector<std::vector<std::string>> rows{{"stage", "time"}};
    for (const NamedTime &stage : execution.compilation.times)
        rows.push_back({stage.name, timeText(stage.time)});
    return format("{}{}, {} threads\n\n{}\n{}", verdictText(execution), execution.compilation.target.device.description,
                  threadsOf(execution.compilation), tableText(rows), kernelTable(execution, estimates));
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

} // namespace

Outcome bench(const Arguments &arguments, const Environment &environment)
{
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<std::uint64_t> repeats = arguments.number("--repeat", kDefaultRepeats, 1, kMaxRepeats);
    if (!seed || !repeats)
        return usageFailed(seed ? repeats.error() : seed.error());
    const Result<std::chrono::milliseconds> limit = limitFrom(arguments);
    if (!limit)
        return usageFailed(limit.error());
    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    const RunCounts counts{.warmup = kWarmup, .repeats = static_cast<std::uint32_t>(*repeats)};
    Result<Execution> execution = execute(compiler, *request, *seed, counts, environment.stop, *limit);
    if (!execution)
        return failed(execution.error());
    if (const auto compared = compareWithUnedited(*execution, compiler, *request, *seed, environment.stop); !compared)
        return failed(compared.error());
    Diagnostics messages = execution->compilation.diagnostics;
    messages.insert(messages.end(), execution->result.faults.begin(), execution->result.faults.end());
    // Measures after the run, so as not to disturb it.
    const Diagnostics unmeasured = measureMissing(compiler, execution->compilation, environment);
    messages.insert(messages.end(), unmeasured.begin(), unmeasured.end());
    Outcome outcome = failed(messages);
    outcome.exitCode = exitCodeWith(outcome.exitCode, *execution);
    const StepEstimates estimates = estimatesOf(execution->compilation, environment);
    outcome.output = arguments.has("--json") ? jsonText(*execution, estimates) : plainText(*execution, estimates);
    return outcome;
}

} // namespace sw::command
