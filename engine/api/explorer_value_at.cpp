// Values of items at moments of the last compilation.

#include "engine/api/describe.h"
#include "engine/api/document_change.h"
#include "engine/api/explorer_implementation.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/scan.h"
#include "engine/graph/verify.h"
#include "engine/pipeline/partial_run.h"

#include <algorithm>
#include <exception>

namespace sw {

namespace {

// The stage of this kind once the compilation has ended; nothing: it was not reached.
std::optional<Stage> finalStage(const Compilation &compilation, StageKind kind)
{
    const auto made = [](const auto &stage) { return stage == nullptr ? std::nullopt : std::optional<Stage>(stage); };
    switch (kind) {
    case StageKind::Graph:
        return made(compilation.graph);
    case StageKind::Schedule:
        return made(compilation.schedule);
    case StageKind::Loops:
        return made(compilation.loops);
    case StageKind::Lowered:
        return made(compilation.lowered);
    case StageKind::Program:
    case StageKind::Code:
    case StageKind::Machine:
        break;
    }
    return std::nullopt;
}

// Before the item of the stage's document, one that the last rewrite took away: its place in the document of the stage before.
std::optional<ItemIndex> goneItem(const Stage &before, const Stage &now, StageKind kind, ItemIndex item)
{
    const auto describe = [kind](const Stage &stage) -> StageDocumentPtr {
        if (const auto *schedule = std::get_if<SchedulePtr>(&stage))
            return kind == StageKind::Schedule ? describeSchedule(**schedule, nullptr)
                                               : describeGraph(*(*schedule)->graph, schedule->get());
        return describeGraph(*std::get<GraphPtr>(stage), nullptr);
    };
    const StageDocumentPtr document = describe(now);
    if (item < document->items.size())
        return std::nullopt;
    const DocumentChange change = changeBetween(*describe(before), *document);
    const std::size_t gone = item - document->items.size();
    return gone < change.gone.size() ? std::optional(change.gone[gone]) : std::nullopt;
}

// Why the reference cannot evaluate the graph as it is; empty: it can. One at the end of a pass was verified.
std::string whyNotEvaluated(const Graph &graph)
{
    const Result<Done> isValid = verifyGraph(graph);
    if (!isValid)
        return format("in the middle of this pass the graph is no program ({}): it has values before and after the pass",
                      isValid.error().front().message);
    for (const NodeId id : graph.placeholders())
        if (graph.node(id).shape.isSymbolic())
            return "the graph has open dimensions: it has values from the pass pad-dimensions on";
    return {};
}

// A node of a scan's body has a value in each step.
struct WantedStep {
    std::int64_t scan = 0; // its number
    ScanStep step;
    bool isLast = false; // whichever that is
    bool mayEnd = false; // by its condition

    // When so many steps were made.
    [[nodiscard]] ScanStep stepOf(std::int64_t made) const
    {
        if (!mayEnd || made == 0)
            return step;
        return {std::min(step.step, made - 1), isLast ? made : step.steps};
    }
};

// The wanted step, or the last one if there are no so many; nothing: the node has one value.
std::optional<WantedStep> stepOf(const Graph &graph, NodeId node, std::optional<std::int64_t> wanted)
{
    const ScanMap scans = scansOf(graph);
    const std::uint32_t body = scans.bodyOf(node);
    if (body == kNoScan)
        return std::nullopt;
    const Scan &scan = scans.scans[body];
    const std::int64_t last = scan.steps - 1;
    return WantedStep{.scan = scan.number,
                      .step = {std::clamp<std::int64_t>(wanted.value_or(last), 0, last), scan.steps},
                      .isLast = !wanted,
                      .mayEnd = scan.condition != kNoCondition};
}

std::string stepText(const std::optional<ScanStep> &of)
{
    if (!of)
        return {};
    const auto [step, steps] = *of;
    if (steps >= kUnboundedSteps)
        return format(", in step {}", step);
    return step + 1 == steps ? format(", in the last of {} steps", steps) : format(", in step {} of 0 to {}", step, steps - 1);
}

ValueOpening opened(const std::string &name, HostTensor value, const std::optional<ScanStep> &step)
{
    return {std::make_shared<const TensorView>(name + stepText(step), std::move(value)), {}, step};
}

bool isUpper(const Stage &stage)
{
    return levelOf(stage) <= StageLevel::Schedule;
}

} // namespace

ItemValue Explorer::Implementation::valueOf(const MomentItem &item, const std::stop_token &stop) const
{
    const auto none = [](std::string reason) { return ItemValue{nullptr, {}, nullptr, {}, std::move(reason)}; };
    const std::optional<Stage> end = finalStage(compilation, item.stage);
    if (item.place.pass == kNoIndex || item.place.pass >= compilation.pipeline.steps.size())
        return end ? valueOfItem(*end, item.stage, item.item) : none("it has no value: the compilation did not come to it");
    const PassStep &step = compilation.pipeline.steps[item.place.pass];
    const Stage now = stageBetween(step, compilation.target, item.place.rewrites, stop);
    const bool isOfPass = kindOf(levelOf(now)) == item.stage || (item.stage == StageKind::Graph && isUpper(now));
    if (!isOfPass)
        return end ? valueOfItem(*end, item.stage, item.item) : none("it has no value: the compilation did not come to it");
    const bool isOneRewrite = item.place.rewrites != kNoIndex && item.place.rewrites > 0;
    if (isOneRewrite && isUpper(now)) {
        const Stage before = stageBetween(step, compilation.target, item.place.rewrites - 1, stop);
        if (before.index() == now.index())
            if (const std::optional<ItemIndex> gone = goneItem(before, now, item.stage, item.item))
                return valueOfItem(before, item.stage, *gone);
    }
    return valueOfItem(now, item.stage, item.item);
}

ValueOpening Explorer::Implementation::valueByReference(const ItemValue &wanted, std::optional<std::int64_t> step,
                                                        std::stop_token stop) const
{
    if (const std::string reason = whyNotEvaluated(*wanted.graph); !reason.empty())
        return {nullptr, reason};
    const auto inputsOfGraph = interpretedValues(*wanted.graph, inputs);
    if (!inputsOfGraph)
        return {nullptr, toText(inputsOfGraph.error())};
    InterpretOptions options;
    options.stop = std::move(stop);
    const std::optional<WantedStep> of = stepOf(*wanted.graph, wanted.node, step);
    std::int64_t made = 0; // steps
    if (of) {
        options.end = ScanEnd{of->scan, of->step.step};
        options.onStepValue = [&](NodeId id, std::int64_t of, const HostTensor &) {
            if (id == wanted.node)
                made = of + 1;
        };
    }
    const auto values = interpretNodes(*wanted.graph, *inputsOfGraph, {&wanted.node, 1}, options);
    if (!values)
        return {nullptr, toText(values.error())};
    HostTensor value = values->front();
    std::string name = format("%{}", wanted.node.value);
    if (wanted.buffer.isValid()) { // it may have another shape than its node
        const ScheduledBuffer &buffer = wanted.schedule->buffer(wanted.buffer);
        name = buffer.name;
        if (value.elements() == buffer.shape.elements())
            value = value.reshaped(buffer.shape.largest());
    }
    return opened(name, std::move(value), of ? std::optional(of->stepOf(made)) : std::nullopt);
}

ValueOpening Explorer::Implementation::valueByDevice(const ItemValue &wanted, std::optional<std::int64_t> step,
                                                     std::stop_token stop)
{
    if (compilation.program == nullptr)
        return {nullptr, "the program was not compiled for a device"};
    const Schedule &schedule = *compilation.schedule;
    BufferId buffer = wanted.schedule == compilation.schedule ? wanted.buffer : BufferId();
    if (!buffer.isValid() && wanted.graph != schedule.graph)
        return {nullptr, "a device runs the program of the end, and this is an earlier one: let the reference compute it"};
    if (!buffer.isValid())
        buffer = schedule.bufferOf(wanted.node);
    if (!buffer.isValid())
        return {nullptr, whyNotStored(schedule, wanted.node)};
    const ScheduledBuffer &stored = schedule.buffer(buffer);
    const std::optional<WantedStep> of = stepOf(*schedule.graph, stored.node, step);
    const auto executor = executorOf(compilation, inputs);
    if (!executor)
        return {nullptr, toText(executor.error())};
    const auto values =
        (*executor)->runAndKeep({&buffer, 1}, stop, of && !of->isLast ? std::optional(of->step.step) : std::nullopt);
    if (!values)
        return {nullptr, toText(values.error())};
    if (!values->front())
        return {nullptr, std::string(kNotChosen)};
    HostTensor value = *values->front();
    if (const Shape &shape = schedule.graph->node(stored.node).shape;
        !wanted.buffer.isValid() && value.elements() == shape.elements()) // the buffer of an output may have another shape
        value = value.reshaped(shape.largest());
    return opened(stored.name, std::move(value),
                  of ? std::optional(of->stepOf((*executor)->stepsMadeOf(of->scan))) : std::nullopt);
}

ValueOpening Explorer::valueAt(const MomentItem &item, ValueSource source, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.compilation.graph == nullptr)
        return {nullptr, "there is no program"};
    ValueOpening made;
    try {
        const ItemValue wanted = own.valueOf(item, stop);
        if (stop.stop_requested())
            return {};
        if (!wanted.reason.empty())
            return {nullptr, wanted.reason};
        made = source == ValueSource::Reference ? own.valueByReference(wanted, item.step, stop)
                                                : own.valueByDevice(wanted, item.step, stop);
    } catch (const std::exception &exception) {
        made = {nullptr, toText(diagnosticOf(exception))};
    }
    return stop.stop_requested() ? ValueOpening{} : made;
}

} // namespace sw
