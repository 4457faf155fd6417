#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "app/commands/named_value.h"
#include "engine/api/item_value.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/scan.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <charconv>

namespace sw::command {

namespace {

constexpr std::int64_t kShown = 8;

// What is asked for: a node, and, if it is in the body of a scan, one of its steps.
struct Wanted {
    NodeId node;
    std::string name;
    const Scan *scan = nullptr;
    std::optional<std::int64_t> step = {}; // nothing: the last one
    std::int64_t made = 0;                 // steps, up to the wanted one
};

Result<Wanted> wantedOf(const Arguments &arguments, const Graph &graph, const ScanMap &scans)
{
    Wanted wanted;
    wanted.name = arguments.positional().at(1);
    SW_TRY(wanted.node, namedValue(wanted.name, graph));
    if (wanted.node == graph.sink())
        return Diagnostic::error(Code::Argument, {}, "%{} stands for all outputs: choose one of them", wanted.node.value);
    const std::uint32_t body = scans.bodyOf(wanted.node);
    if (body == kNoScan) {
        if (arguments.has("--step"))
            return Diagnostic::error(Code::Argument, {}, "{} is not in the body of a scan: it has no steps", wanted.name);
        return wanted;
    }
    wanted.scan = &scans.scans[body];
    if (!arguments.has("--step"))
        return wanted;
    const std::string word = arguments.value("--step", {});
    const std::int64_t steps = wanted.scan->steps;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), wanted.step.emplace());
    if (error != std::errc() || end != word.data() + word.size() || *wanted.step < 0 || *wanted.step >= steps)
        return Diagnostic::error(Code::Argument, {}, "--step needs a number from 0 {}, not {}",
                                 steps < kUnboundedSteps ? format("to {}", steps - 1) : std::string("on"), sw::quoted(word));
    return wanted;
}

Result<HostTensor> byReference(const Compilation &compilation, const RunInputs &inputs, Wanted &wanted,
                               const std::stop_token &stop)
{
    SW_TRY(const auto values, interpretedValues(*compilation.graph, inputs));
    InterpretOptions options;
    options.stop = stop;
    if (wanted.scan != nullptr) {
        options.end = ScanEnd{wanted.scan->number, wanted.step.value_or(wanted.scan->steps - 1)};
        options.onStepValue = [&wanted](NodeId id, std::int64_t step, const HostTensor &) {
            if (id == wanted.node)
                wanted.made = step + 1;
        };
    }
    SW_TRY(const auto made, interpretNodes(*compilation.graph, values, {&wanted.node, 1}, options));
    return made.front();
}

Result<HostTensor> byDevice(Prepared &prepared, Wanted &wanted, const std::stop_token &stop)
{
    const Schedule &schedule = *prepared.compilation.schedule;
    const BufferId buffer = schedule.bufferOf(wanted.node);
    if (!buffer.isValid())
        return Diagnostic::error(Code::Unsupported, {}, "{}", whyNotStored(schedule, wanted.node))
            .withHint("without --by device the reference computes it");
    SW_TRY(const auto made, prepared.executor->runAndKeep({&buffer, 1}, stop, wanted.step));
    if (wanted.scan != nullptr)
        wanted.made = prepared.executor->stepsMadeOf(wanted.scan->number);
    const Shape shape = schedule.graph->node(wanted.node).shape.largest();
    if (!made.front())
        return Diagnostic::error(Code::Run, {}, "{}", kNotChosen)
            .withHint("without --by device the reference computes it all the same");
    return made.front()->elements() == shape.elements() ? made.front()->reshaped(shape) : *made.front();
}

// The step whose value it is: a condition may have ended the scan before the wanted one.
std::int64_t stepOf(const Wanted &wanted)
{
    return std::min(wanted.step.value_or(wanted.made - 1), wanted.made - 1);
}

// How many there are; nothing: nobody asked for the last one, so nobody knows.
std::optional<std::int64_t> stepsOf(const Wanted &wanted)
{
    if (wanted.scan->condition == kNoCondition)
        return wanted.scan->steps;
    return wanted.step && *wanted.step < wanted.made ? std::nullopt : std::optional(wanted.made);
}

std::string textOf(const Wanted &wanted, const HostTensor &value)
{
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < std::min(kShown, value.elements()); ++i)
        texts.push_back(toText(value.at(i)));
    if (value.elements() > kShown)
        texts.emplace_back("...");
    std::string step;
    if (wanted.scan != nullptr) {
        const std::optional<std::int64_t> steps = stepsOf(wanted);
        step = format(" in step {}{}", stepOf(wanted), steps ? format(" of 0 to {}", *steps - 1) : std::string());
    }
    return format("{}{}: {} = [{}]\n", wanted.name, step, typeText(value.dtype(), value.shape()), join(texts, ", "));
}

std::string jsonOf(const Wanted &wanted, const HostTensor &value)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("value", wanted.name).field("node", wanted.node.value);
    json.field("dtype", nameOf(value.dtype())).key("shape").beginArray();
    for (const std::int64_t extent : value.shape())
        json.value(extent);
    json.endArray();
    if (wanted.scan != nullptr) {
        json.field("step", stepOf(wanted));
        if (const auto steps = stepsOf(wanted))
            json.field("steps", *steps);
    }
    json.key("first").beginArray();
    for (std::int64_t i = 0; i < std::min(kShown, value.elements()); ++i)
        json.value(toText(value.at(i)));
    json.endArray().endObject();
    return json.text();
}

} // namespace

Outcome values(const Arguments &arguments, const Environment &environment)
{
    const std::string by = arguments.value("--by", "reference");
    if (by != "reference" && by != "device")
        return usageFailed({Diagnostic::error(Code::Argument, {}, "--by is reference or device, not {}", sw::quoted(by))});
    const bool isByDevice = by == "device";
    Result<CompileRequest> request = requestOf(arguments, environment, isByDevice ? CompileUntil::Machine : CompileUntil::Graph);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!seed)
        return usageFailed(seed.error());
    ProgramCompiler compiler(registryFor(arguments, *request, environment));
    Result<Prepared> prepared = Prepared();
    if (isByDevice)
        prepared = prepare(compiler, *request, *seed, environment.stop);
    else
        prepared->compilation = compiler.compile(*request, environment.stop);
    if (!prepared)
        return failed(prepared.error());
    const Compilation &compilation = prepared->compilation;
    Outcome outcome = failed(compilation.diagnostics);
    if (!compilation.succeeded)
        return outcome;
    const ScanMap scans = scansOf(*compilation.graph);
    Result<Wanted> wanted = wantedOf(arguments, *compilation.graph, scans);
    if (!wanted)
        return usageFailed(wanted.error());
    const Result<HostTensor> value =
        isByDevice ? byDevice(*prepared, *wanted, environment.stop)
                   : byReference(compilation, runInputsOf(*request, compilation, *seed), *wanted, environment.stop);
    if (!value)
        return failed(value.error());
    if (const std::string file = arguments.value("-o", {}); !file.empty())
        if (const Result<Done> written = writeNpyFile(file, *value); !written)
            return failed(written.error());
    outcome.output = arguments.has("--json") ? jsonOf(*wanted, *value) : textOf(*wanted, *value);
    return outcome;
}

} // namespace sw::command
