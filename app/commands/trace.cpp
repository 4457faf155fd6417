#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/api/kernel_trace_parts.h"
#include "engine/execute/input_values.h"

#include <limits>

namespace sw::command {

namespace {

constexpr std::uint64_t kMaxSteps = 100'000; // to be written out
constexpr std::size_t kShownLanes = 8;

// What is to be shown of a run.
struct Traced {
    std::string device;
    std::string kernel;
    TraceBytes bytes;
    std::vector<TracePosition> positions; // in the order in which they were come to
    Diagnostics problems;                 // a condition that never holds
};

std::string shortened(const std::vector<std::string> &lanes)
{
    const std::span<const std::string> shown = std::span(lanes).first(std::min(lanes.size(), kShownLanes));
    const std::string text = join(shown, ", ");
    if (lanes.size() == 1)
        return text;
    return format("[{}{}]", text, shown.size() < lanes.size() ? ", ..." : "");
}

// A loop without a name has a number.
std::string nameOf(const TraceCounter &counter)
{
    const bool isNumber = counter.name.find_first_not_of("0123456789") == std::string::npos;
    return isNumber ? "%" + counter.name : counter.name;
}

std::string headOf(const TracePosition &position)
{
    std::string text = format("step {}", position.position);
    if (position.steps)
        text += format(" of {}", *position.steps);
    text += format(", work item [{}]", join(position.workItem, ", "));
    for (const TraceCounter &counter : position.counters)
        text += format(", {} = {} of {}", nameOf(counter), counter.value, counter.extent);
    return text + "\n";
}

std::string lineOf(std::string_view mark, std::uint32_t line, const std::string &text)
{
    return format("  {:<4}  line {:<4}  {}\n", mark, line, text);
}

std::string accessesText(const TracePosition &position)
{
    std::string text;
    for (const TraceAccess &access : position.accesses) {
        const std::string last = access.count == 1 ? std::string() : format(" to {}", access.first + access.count - 1);
        text += format("        {} %{}[{}{}]: {}\n", access.isStore ? "wrote" : "read", access.name, access.first, last,
                       shortened(access.values));
    }
    return text;
}

std::string positionText(const TracePosition &position)
{
    std::string text = headOf(position);
    if (position.lastLine != 0)
        text += lineOf("last", position.lastLine, position.lastText);
    text += accessesText(position);
    for (const TraceDifference &difference : position.differences)
        text += format("  difference: {}\n", toText(difference));
    if (position.line != 0)
        text += lineOf("next", position.line, position.text);
    else
        text += "  the run is at its end\n";
    for (const std::string &fault : position.faults)
        text += format("  index out of range: {}\n", fault);
    if (!position.problem.empty())
        text += format("  the run ends here: {}\n", position.problem);
    std::vector<std::vector<std::string>> rows{{"", "value", "type", "lanes"}};
    for (const TraceValue &value : position.values)
        rows.push_back({value.isChanged ? "*" : "", "%" + value.name, value.type, shortened(value.lanes)});
    return rows.size() == 1 ? text : text + tableText(rows);
}

void writePosition(JsonWriter &json, const TracePosition &position)
{
    json.beginObject().field("position", position.position).key("steps");
    position.steps ? json.value(*position.steps) : json.null();
    json.field("line", position.line).field("text", position.text);
    json.field("last_line", position.lastLine).field("last_text", position.lastText);
    json.key("work_item").beginArray();
    for (const std::int64_t index : position.workItem)
        json.value(index);
    json.endArray().key("counters").beginArray();
    for (const TraceCounter &counter : position.counters)
        json.beginObject()
            .field("name", counter.name)
            .field("value", counter.value)
            .field("extent", counter.extent)
            .field("changed", counter.isChanged)
            .endObject();
    const auto writeTexts = [&](std::string_view key, const std::vector<std::string> &texts) {
        json.key(key).beginArray();
        for (const std::string &text : texts)
            json.value(text);
        json.endArray();
    };
    json.endArray().key("values").beginArray();
    for (const TraceValue &value : position.values) {
        json.beginObject().field("name", value.name).field("type", value.type).field("changed", value.isChanged);
        writeTexts("lanes", value.lanes);
        json.endObject();
    }
    json.endArray().key("accesses").beginArray();
    for (const TraceAccess &access : position.accesses) {
        json.beginObject().field("kind", access.isStore ? "store" : "load").field("memory", access.name);
        json.field("first", access.first).field("count", access.count);
        writeTexts("values", access.values);
        json.endObject();
    }
    json.endArray().key("differences").beginArray();
    for (const TraceDifference &difference : position.differences)
        json.beginObject()
            .field("memory", difference.name)
            .field("element", difference.element)
            .field("value", difference.actual)
            .field("reference", difference.expected)
            .field("allowed", difference.allowed)
            .endObject();
    json.endArray();
    writeTexts("faults", position.faults);
    json.key("problem");
    position.problem.empty() ? json.null() : json.value(position.problem);
    json.endObject();
}

std::string jsonText(const Traced &traced)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("device", traced.device).field("kernel", traced.kernel);
    json.key("memory")
        .beginObject()
        .field("limit", static_cast<std::uint64_t>(traced.bytes.limit))
        .field("bytes", static_cast<std::uint64_t>(traced.bytes.held))
        .field("checkpoints", static_cast<std::uint64_t>(traced.bytes.checkpoints))
        .field("steps_between", traced.bytes.stepsBetweenCheckpoints)
        .endObject();
    json.key("positions").beginArray();
    for (const TracePosition &position : traced.positions)
        writePosition(json, position);
    json.endArray();
    writeDiagnostics(json, traced.problems);
    json.endObject();
    return json.text();
}

std::string plainText(const Traced &traced)
{
    std::string text = traced.kernel + "\n\n";
    for (const TracePosition &position : traced.positions)
        text += positionText(position) + "\n";
    return text;
}

// A search that found nothing is an error of what was asked for.
Result<Done> checkFound(const TraceSearch &search, const std::string &wanted, const KernelTrace &trace)
{
    if (search.isFound)
        return Done{};
    return Diagnostic::error(Code::Run, {}, "{} never comes in {} steps of kernel {} from step {}", wanted, search.steps,
                             trace.kernelName(), trace.where().position);
}

// Says what was compared, and what could not be.
Result<Done> noDifference(KernelTrace &trace, const std::stop_token &stop)
{
    SW_TRY(const TraceComparison comparison, trace.comparison(stop));
    return Diagnostic::error(Code::Run, {}, "kernel {} stores no difference on the way from step {}: {}", trace.kernelName(),
                             trace.where().position, toText(comparison));
}

// To the place, then to the condition; nothing else moves.
Result<Done> findPlace(const Arguments &arguments, KernelTrace &trace, TraceDirection direction, const std::stop_token &stop)
{
    if (arguments.has("--at")) {
        const std::string place = arguments.value("--at", {});
        SW_TRY(const TraceSearch search, trace.runTo(direction, place, stop));
        SW_CHECK(checkFound(search, place, trace));
    }
    if (arguments.has("--until")) {
        const std::string condition = arguments.value("--until", {});
        SW_TRY(const TraceSearch search, trace.run(direction, condition, stop));
        if (!search.isFound && condition == kDifference)
            return noDifference(trace, stop);
        SW_CHECK(checkFound(search, condition, trace));
    }
    return Done{};
}

Result<Traced> traced(const Arguments &arguments, KernelTrace &trace, std::uint64_t steps, const std::stop_token &stop)
{
    const bool isBack = arguments.has("--back");
    const TraceDirection direction = isBack ? TraceDirection::Backward : TraceDirection::Forward;
    if (isBack) {
        SW_TRY(const std::uint64_t end, trace.findEnd(stop));
        SW_CHECK(trace.goTo(end, stop));
    }
    Traced made;
    made.kernel = trace.kernelName();
    const Result<Done> found = findPlace(arguments, trace, direction, stop);
    if (!found && found.error().front().code != Code::Run)
        return found.failure();
    if (!found)
        made.problems = found.error();
    made.positions.push_back(trace.where());
    for (std::uint64_t i = 0; found && i < steps && trace.step(direction); ++i)
        made.positions.push_back(trace.where());
    made.bytes = trace.bytes();
    return made;
}

Result<std::unique_ptr<KernelTrace>> openKernel(const Arguments &arguments, const Environment &environment,
                                                const CompileRequest &request, const Compilation &compilation,
                                                ProgramCompiler &compiler)
{
    SW_TRY(const KernelId kernel, chosenKernel(arguments, *compilation.schedule));
    SW_TRY(const std::uint64_t seed, seedOf(arguments));
    SW_TRY(const auto values,
           placeholderValues(*compilation.graph, givenInputs(request, compilation), seed, compilation.runDimensions));
    return openTrace(compiler, compilation, kernel, {values, compilation.runDimensions}, environment.stop);
}

} // namespace

Outcome trace(const Arguments &arguments, const Environment &environment)
{
    if (!arguments.has("--kernel"))
        return usageFailed({Diagnostic::error(Code::Argument, {}, "trace needs a kernel: --kernel K, by name or number")});
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Lowered);
    const Result<std::uint64_t> steps = arguments.number("--steps", 0, 0, kMaxSteps);
    if (!request || !steps)
        return request ? usageFailed(steps.error()) : requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compiler.compile(*request, environment.stop);
    if (!compilation.succeeded)
        return failed(compilation.diagnostics);
    const auto opened = openKernel(arguments, environment, *request, compilation, compiler);
    if (!opened)
        return requestFailed(opened.error());
    Result<Traced> made = traced(arguments, **opened, *steps, environment.stop);
    if (!made)
        return requestFailed(made.error());
    made->device = compilation.target.device.id;
    Diagnostics messages = compilation.diagnostics;
    messages.insert(messages.end(), made->problems.begin(), made->problems.end());
    Outcome outcome = failed(messages);
    outcome.output = arguments.has("--json") ? jsonText(*made) : plainText(*made);
    return outcome;
}

} // namespace sw::command
