#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/estimates.h"
#include "app/commands/life.h"
#include "engine/api/describe.h"
#include "engine/api/explanation.h"
#include "engine/api/instruction_card.h"
#include "engine/api/override_notes.h"
#include "engine/api/trial.h"
#include "engine/graph/value_path.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sw::command {

namespace {

// Reads "%3" or "3".
std::optional<NodeId> nodeOf(std::string_view text, const Graph &graph)
{
    if (text.starts_with('%'))
        text.remove_prefix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number >= graph.size())
        return std::nullopt;
    return NodeId(number);
}

// Which decisions to show.
struct Filter {
    std::optional<NodeId> node;
    std::optional<NodeId> from;
    std::optional<NodeId> to;

    bool takes(const FusionDecision &decision) const
    {
        if (node)
            return decision.producer == *node || decision.consumer == *node;
        return !from || (decision.producer == *from && decision.consumer == *to);
    }
};

Result<Filter> filterOf(const Arguments &arguments, const Graph &graph)
{
    Filter filter;
    const auto unknown = [&](const std::string &text) {
        return Diagnostic::error(Code::Argument, {}, "{} is not a node of the graph; nodes are %0 to %{}", sw::quoted(text),
                                 graph.size() - 1);
    };
    if (arguments.has("--node")) {
        filter.node = nodeOf(arguments.value("--node", {}), graph);
        if (!filter.node)
            return unknown(arguments.value("--node", {}));
    }
    if (arguments.has("--edge")) {
        const std::string edge = arguments.value("--edge", {});
        const std::size_t comma = std::min(edge.find(','), edge.size());
        filter.from = nodeOf(std::string_view(edge).substr(0, comma), graph);
        filter.to = nodeOf(std::string_view(edge).substr(std::min(comma + 1, edge.size())), graph);
        if (!filter.from || !filter.to)
            return unknown(edge);
    }
    return filter;
}

void writeDecision(JsonWriter &json, const Explained &of, std::uint32_t index)
{
    const FusionDecision &decision = of.schedule.decisions[index];
    const SourceRange where = of.schedule.graph->sources().programRange(decision.origin);
    json.beginObject().field("producer", decision.producer.value).field("consumer", decision.consumer.value);
    json.field("fused", decision.isFused).field("rule", decision.rule).field("reason", decision.reason);
    json.field("bytes_saved", decision.bytesSaved).field("line", where.line);
    json.key("numbers").beginArray();
    for (const WhyNumber &number : edgeCard(of, index).numbers)
        json.beginObject()
            .field("name", number.name)
            .field("value", number.amount)
            .field("from", number.origin)
            .field("limit", number.limit)
            .endObject();
    json.endArray();
    json.field("override", toText(oppositeOf(decision, of.paths))).endObject();
}

void writeOverrides(JsonWriter &json, const Overrides &overrides, std::span<const OverrideOutcome> outcomes)
{
    json.key("overrides").beginArray();
    for (std::size_t i = 0; i < std::min(overrides.items.size(), outcomes.size()); ++i)
        json.beginObject()
            .field("override", titleOf(overrides.items[i]))
            .field("state", nameOf(outcomes[i].state))
            .field("reason", outcomes[i].reason)
            .endObject();
    json.endArray();
}

std::string overridesText(const Overrides &overrides, std::span<const OverrideOutcome> outcomes)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(overrides.items.size(), outcomes.size()); ++i) {
        const OverrideOutcome &outcome = outcomes[i];
        text += format("override {}: {}{}{}\n", titleOf(overrides.items[i]), nameOf(outcome.state),
                       outcome.reason.empty() ? "" : ", ", outcome.reason);
    }
    return text.empty() ? text : text + "\n";
}

// With the numbers of the nodes and the line of the program.
WhyCard numberedCard(const Explained &of, std::uint32_t index)
{
    const FusionDecision &decision = of.schedule.decisions[index];
    const auto text = [&](NodeId id) { return format("%{} {}", id.value, operationText(of.schedule.graph->node(id))); };
    const SourceRange where = of.schedule.graph->sources().programRange(decision.origin);
    WhyCard card = edgeCard(of, index);
    card.title = format("{} -> {} ({}:{})", text(decision.producer), text(decision.consumer), where.file, where.line);
    return card;
}

// By its own name, or by the path of the value that it holds.
Result<BufferId> bufferNamed(const Schedule &schedule, const std::string &name, const ValuePaths &paths)
{
    const auto found = std::ranges::find(schedule.buffers, name, &ScheduledBuffer::name);
    if (found != schedule.buffers.end())
        return BufferId(static_cast<std::uint32_t>(found - schedule.buffers.begin()));
    const NodeId value = paths.find(name);
    const BufferId held = value.isValid() ? schedule.bufferOf(value) : BufferId();
    if (!held.isValid())
        return Diagnostic::error(Code::Argument, {}, "the program has no buffer {}; it has {}", sw::quoted(name),
                                 join(schedule.buffers, ", ", [](const ScheduledBuffer &one) { return one.name; }));
    return held;
}

// "%44" or "44".
Result<std::string> instructionExplanation(const Explained &of, const Compilation &compilation, KernelId kernel,
                                           std::string_view name, const std::stop_token &stop)
{
    const std::string_view digits = name.substr(name.starts_with('%') ? 1 : 0);
    const LoweredKernel &lowered = compilation.lowered->kernels[kernel.value];
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || number >= lowered.instructions.size())
        return Diagnostic::error(Code::Argument, {}, "{} is no instruction of {}; they are %0 to %{}",
                                 sw::quoted(std::string(name)), lowered.name, lowered.instructions.size() - 1);
    WhyCard card = instructionCard(of, lowered, InstructionId(number));
    std::size_t item = number;
    for (std::size_t i = 0; i < kernel.value; ++i)
        item += compilation.lowered->kernels[i].instructions.size();
    addMaker(card, compilation, *describeLowered(*compilation.lowered, stop), static_cast<ItemIndex>(item), stop);
    addAlternative(card, compilation, of.figures, stop);
    return toText(card);
}

// Of the kernel, its instruction or the buffer that is asked for; empty: none is.
Result<std::string> chosenExplanation(const Arguments &arguments, const Explained &of, const Compilation &compilation,
                                      const std::stop_token &stop)
{
    if (arguments.has("--buffer")) {
        SW_TRY(const BufferId buffer, bufferNamed(of.schedule, arguments.value("--buffer", {}), of.paths));
        return toText(bufferCard(of, buffer));
    }
    SW_TRY(const KernelId kernel, chosenKernel(arguments, of.schedule));
    if (arguments.has("--instruction") && (!kernel.isValid() || compilation.lowered == nullptr))
        return Diagnostic::error(Code::Argument, {}, "--instruction needs a kernel: --kernel K, by name or number");
    if (arguments.has("--instruction"))
        return instructionExplanation(of, compilation, kernel, arguments.value("--instruction", {}), stop);
    return kernel.isValid() ? toText(kernelCard(of, kernel)) : std::string();
}

} // namespace

Outcome explain(const Arguments &arguments, const Environment &environment)
{
    const CompileUntil until = arguments.has("--life") ? CompileUntil::Code : CompileUntil::Lowered;
    Result<CompileRequest> request = requestOf(arguments, environment, until);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    const Compilation compilation = compileToLookAt(compiler, *request, environment.stop);
    Outcome outcome = failed(compilation.diagnostics);
    if (compilation.schedule == nullptr)
        return outcome;
    if (arguments.has("--life"))
        return lifeOf(arguments.value("--life", {}), compilation, arguments, environment.stop);
    const Schedule &schedule = *compilation.schedule;
    const Result<Filter> filter = filterOf(arguments, *schedule.graph);
    if (!filter)
        return usageFailed(filter.error());
    const Overrides &overrides = request->options.overrides;
    const ValuePaths paths(*schedule.graph);
    const StepEstimates estimates = estimatesOf(compilation, environment);
    const Explained of{schedule, paths, compilation.loops.get(), estimates.figures};
    const Result<std::string> text = chosenExplanation(arguments, of, compilation, environment.stop);
    if (!text)
        return usageFailed(text.error());
    if (!text->empty()) {
        JsonWriter json;
        json.beginObject().field("version", kJsonVersion).field("explanation", *text).endObject();
        outcome.output = arguments.has("--json") ? json.text() : *text;
        return outcome;
    }
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion);
    const std::vector<OverrideOutcome> outcomes = outcomesOf(compilation);
    writeOverrides(json, overrides, outcomes);
    json.key("decisions").beginArray();
    outcome.output = overridesText(overrides, outcomes);
    for (std::uint32_t i = 0; i < schedule.decisions.size(); ++i) {
        if (!filter->takes(schedule.decisions[i]))
            continue;
        writeDecision(json, of, i);
        WhyCard card = numberedCard(of, i);
        if (arguments.has("--edge")) // a trial compiles again
            addAlternative(card, compilation, of.figures, environment.stop);
        outcome.output += toText(card);
    }
    json.endArray();
    writeEstimates(json, schedule, estimates);
    json.endObject();
    if (!arguments.has("--node") && !arguments.has("--edge"))
        outcome.output += estimatesText(schedule, estimates);
    if (arguments.has("--json"))
        outcome.output = json.text();
    return outcome;
}

} // namespace sw::command
