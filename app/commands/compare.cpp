#include "engine/execute/compare.h"
#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/measuring.h"

#include <algorithm>
#include <cmath>

namespace sw::command {

namespace {

struct DeviceRun {
    std::string device;
    const Execution &execution;
    StepEstimates estimates;
    const MedianBand *ratio; // to the first; null: it is the first
};

struct Row {
    std::string output;
    std::string device;
    Comparison comparison;
};

// Compares every device with the first.
std::vector<Row> compared(const std::vector<DeviceRun> &runs, const OutputLimits &limits)
{
    std::vector<Row> rows;
    const std::vector<NamedTensor> &expected = runs.front().execution.result.outputs;
    for (std::size_t r = 1; r < runs.size(); ++r)
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const HostTensor &actual = runs[r].execution.result.outputs.at(i).value;
            rows.push_back({expected[i].name, runs[r].device,
                            compareTensors(expected[i].value, actual, limits.missing.empty() ? &limits.limits.at(i) : nullptr)});
        }
    return rows;
}

bool areAllEqual(const std::vector<Row> &rows)
{
    return std::ranges::all_of(rows, [](const Row &row) { return row.comparison.equal; });
}

std::string_view nameOf(JudgedBy by)
{
    switch (by) {
    case JudgedBy::Limit:
        return "bound";
    case JudgedBy::Tolerance:
        return "tolerance";
    }
    SW_UNREACHABLE();
}

void writeElement(JsonWriter &json, std::string_view key, const std::optional<Divergence> &element)
{
    if (!element)
        return;
    json.key(key).beginObject().field("index", element->flatIndex);
    json.field("expected", toText(element->expected)).field("actual", toText(element->actual));
    json.field("bound", element->allowed).field("judged_by", nameOf(element->by)).endObject();
}

void writeRow(JsonWriter &json, const Row &row)
{
    const Comparison &comparison = row.comparison;
    json.beginObject().field("name", row.output).field("device", row.device);
    json.field("max_abs", comparison.maxAbsolute).field("max_rel", comparison.maxRelative);
    json.field("max_ulp", comparison.maxUlp).field("equal", comparison.equal);
    json.field("different", comparison.divergences).field("by_tolerance", comparison.byTolerance);
    if (!comparison.otherShape.empty())
        json.field("shape", comparison.otherShape);
    writeElement(json, "worst", comparison.worst);
    writeElement(json, "first_divergence", comparison.first);
    json.endObject();
}

std::string jsonText(const std::vector<DeviceRun> &runs, const std::vector<Row> &rows, const OutputLimits &limits,
                     const Measured &measured)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("reference", runs.front().device).field("equal", areAllEqual(rows));
    json.key("no_bounds");
    if (limits.missing.empty())
        json.null();
    else
        json.value(limits.missing);
    json.key("outputs").beginArray();
    for (const Row &row : rows)
        writeRow(json, row);
    json.endArray().key("times").beginArray();
    for (const DeviceRun &run : runs) {
        json.beginObject().field("device", run.device);
        writeTiming(json, "ns", run.execution.result.total);
        writeKernels(json, run.execution, run.estimates);
        writeEstimates(json, *run.execution.compilation.schedule, run.estimates);
        if (run.ratio != nullptr)
            writeRatio(json, *run.ratio);
        json.endObject();
    }
    json.endArray();
    writeNotes(json, measured);
    json.endObject();
    return json.text();
}

// "0.25 at [3], 3e-06 allowed", for the element with the worst error.
std::string worstText(const Comparison &comparison)
{
    if (!comparison.worst)
        return "-";
    const Divergence &worst = *comparison.worst;
    if (!isFloat(worst.expected.dtype()))
        return format("[{}], none allowed", worst.flatIndex);
    return format("{:.3g} at [{}], {:.3g} allowed", std::abs(worst.actual.asDouble() - worst.expected.asDouble()),
                  worst.flatIndex, worst.allowed);
}

// Names in words what was not judged by the error bounds of its own computation; empty if everything was.
std::string toleranceText(const std::vector<Row> &rows, const OutputLimits &limits)
{
    std::string text;
    for (const Row &row : rows)
        if (limits.missing.empty() && row.comparison.byTolerance > 0)
            text += format("{} on {}: {} elements differ whose error has no bound (a rounding before them may change them "
                           "altogether); they were judged by the tolerance of the tensor\n",
                           row.output, row.device, row.comparison.byTolerance);
    if (!limits.missing.empty())
        text = format("no error bounds were computed: {}; floats were judged by the tolerance of the tensor\n", limits.missing);
    return text.empty() ? text : text + '\n';
}

std::string plainText(const std::vector<DeviceRun> &runs, const std::vector<Row> &rows, const OutputLimits &limits,
                      const Measured &measured)
{
    std::vector<std::vector<std::string>> values{
        {"output", "device", "equal", "max abs", "max rel", "max ulp", "furthest off", "first divergence"}};
    for (const Row &row : rows) {
        const Comparison &comparison = row.comparison;
        std::string first = comparison.first ? format("[{}]: {} instead of {}", comparison.first->flatIndex,
                                                      toText(comparison.first->actual), toText(comparison.first->expected))
                                             : std::string("-");
        if (!comparison.otherShape.empty())
            first = "shape " + comparison.otherShape;
        values.push_back({row.output, row.device, comparison.equal ? "yes" : "no", format("{:.3g}", comparison.maxAbsolute),
                          format("{:.3g}", comparison.maxRelative), format("{}", comparison.maxUlp), worstText(comparison),
                          first});
    }
    std::vector<std::vector<std::string>> times{{"device", "median", "95 % band", "min", "max", "against the first"}};
    for (const DeviceRun &run : runs) {
        const Timing &total = run.execution.result.total;
        times.push_back({run.device, timeText(total.median), bandText(total), timeText(total.min), timeText(total.max),
                         run.ratio == nullptr ? "" : differenceText(*run.ratio)});
    }
    return format("compared with {}\n\n{}\n{}{}{}", runs.front().device, tableText(values), toleranceText(rows, limits),
                  tableText(times), notesText(measured));
}

} // namespace

Outcome compare(const Arguments &arguments, const Environment &environment)
{
    if (arguments.has("--first-divergence"))
        return compareWithReference(arguments, environment);
    Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<MeasurePlan> plan = planOf(arguments, 1U); // usually people want values
    const Result<std::chrono::milliseconds> limit = limitFrom(arguments);
    if (!seed || !plan || !limit)
        return usageFailed(!seed ? seed.error() : !plan ? plan.error() : limit.error());
    const std::vector<std::string> names = namesIn(arguments.value("--devices", {}));
    if (names.size() < 2)
        return usageFailed({Diagnostic::error(Code::Argument, {}, "compare needs at least two devices: --devices D1,D2")});

    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    std::vector<Prepared> prepared;
    for (const std::string &name : names) {
        request->device = name;
        Result<Prepared> one = prepare(compiler, *request, *seed, environment.stop);
        if (!one)
            return failed(one.error());
        prepared.push_back(*std::move(one));
    }
    const Result<Measured> measured = measure(std::move(prepared), {*plan, *limit}, environment.stop);
    if (!measured)
        return failed(measured.error());
    std::vector<DeviceRun> runs;
    Diagnostics messages;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Execution &execution = measured->executions[i];
        messages.insert(messages.end(), execution.compilation.diagnostics.begin(), execution.compilation.diagnostics.end());
        messages.insert(messages.end(), execution.result.faults.begin(), execution.result.faults.end());
        runs.push_back(
            {names[i], execution, estimatesOf(execution.compilation, environment), i == 0 ? nullptr : &measured->ratios[i - 1]});
    }
    const OutputLimits limits = limitsOf(runs.front().execution, *request, *seed, environment.stop);
    const std::vector<Row> rows = compared(runs, limits);
    Outcome outcome = failed(messages);
    if (outcome.exitCode == ExitCode::Success && !areAllEqual(rows))
        outcome.exitCode = ExitCode::Different;
    outcome.output = arguments.has("--json") ? jsonText(runs, rows, limits, *measured) : plainText(runs, rows, limits, *measured);
    return outcome;
}

} // namespace sw::command
