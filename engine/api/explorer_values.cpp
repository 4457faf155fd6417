// Values of the last compilation: of its inputs and nodes, by the reference and by its devices.

#include "engine/api/explorer_implementation.h"
#include "engine/api/item_value.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/value_path.h"

#include <exception>

namespace sw {

namespace {

ValueOpening opened(std::string name, const Result<HostTensor> &value)
{
    if (!value)
        return {nullptr, toText(value.error())};
    return {std::make_shared<const TensorView>(std::move(name), *value), {}};
}

Result<std::vector<std::optional<HostTensor>>> allOf(const Result<std::vector<HostTensor>> &values)
{
    if (!values)
        return values.failure();
    return std::vector<std::optional<HostTensor>>(values->begin(), values->end());
}

// Where a program is shown that the engine has not compiled: one with errors, or one of a session.
ValueOpening notCompiled()
{
    return {nullptr, "the program is not compiled"};
}

// What `open` returns; the error where it throws.
template <class Open>
auto guarded(const std::stop_token &stop, Open &&open)
{
    ValueOpening made;
    try {
        made = open();
    } catch (const std::exception &exception) {
        made = {nullptr, toText(diagnosticOf(exception))};
    }
    return stop.stop_requested() ? ValueOpening{} : made;
}

// A stored value as the node has it: the buffer of an output may have another shape.
HostTensor asNode(const Node &node, const HostTensor &stored)
{
    return stored.elements() == node.shape.elements() ? stored.reshaped(node.shape.largest()) : stored;
}

} // namespace

Result<std::vector<HostTensor>> Explorer::Implementation::interpret(const Compilation &of, std::span<const NodeId> nodes,
                                                                    std::stop_token stop) const
{
    SW_TRY(const auto values, interpretedValues(*of.graph, inputs));
    InterpretOptions options;
    options.stop = std::move(stop);
    return interpretNodes(*of.graph, values, nodes, options);
}

Result<std::vector<std::optional<HostTensor>>>
Explorer::Implementation::store(const Compilation &of, std::span<const BufferId> buffers, std::stop_token stop)
{
    SW_TRY(const auto executor, executorOf(of, inputs));
    return executor->runAndKeep(buffers, stop);
}

void Explorer::chooseInputs(RunInputs inputs)
{
    m_implementation->inputs = std::move(inputs);
}

std::vector<InputFacts> Explorer::inputFacts(std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    std::vector<InputFacts> facts;
    if (own.compilation.graph == nullptr)
        return facts;
    for (const InputEntry &entry : inputEntries(*own.compilation.graph)) {
        const ValueOpening made = inputValue(entry.name, stop);
        if (stop.stop_requested())
            break;
        facts.push_back({entry.name, entry.type, nullptr, made.error});
        if (made.value == nullptr)
            continue;
        facts.back().type = made.value->type();
        facts.back().statistics = made.value->statistics(stop);
    }
    return facts;
}

ValueOpening Explorer::inputValue(std::string_view name, std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    if (own.compilation.graph == nullptr)
        return notCompiled();
    return guarded(stop, [&] {
        const Result<HostTensor> value = sw::inputValue(*own.compilation.graph, own.inputs, name);
        return opened(std::string(name), value);
    });
}

ValueOpening Explorer::nodeValue(std::uint32_t node, ValueSource source, std::stop_token stop)
{
    return nodeValues({node}, source, std::move(stop)).front();
}

std::vector<ValueOpening> Explorer::nodeValues(const std::vector<std::uint32_t> &nodes, ValueSource source, std::stop_token stop)
{
    return m_implementation->nodeValues(m_implementation->compilation, nodes, source, stop);
}

std::vector<ValueOpening> Explorer::Implementation::nodeValues(const Compilation &of, const std::vector<std::uint32_t> &nodes,
                                                               ValueSource source, const std::stop_token &stop)
{
    std::vector<ValueOpening> made(nodes.size());
    if (of.graph == nullptr)
        return std::vector<ValueOpening>(nodes.size(), notCompiled());
    const Graph &graph = *of.graph;
    const Schedule *schedule = of.schedule.get();
    std::vector<NodeId> wanted;
    std::vector<BufferId> buffers;
    std::vector<std::size_t> places; // in `made`
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeId id(nodes[i]);
        if (id.value >= graph.size() || id == graph.sink()) {
            made[i].error = format("there is no value %{}", id.value);
        } else if (source == ValueSource::Device && of.program == nullptr) {
            made[i].error = "the program was not compiled for a device";
        } else if (source == ValueSource::Device && !schedule->bufferOf(id).isValid()) {
            made[i].error = whyNotStored(*schedule, id);
        } else {
            wanted.push_back(id);
            places.push_back(i);
            if (source == ValueSource::Device)
                buffers.push_back(schedule->bufferOf(id));
        }
    }
    if (wanted.empty())
        return made;
    const auto tellAll = [&](const std::string &error) {
        for (const std::size_t place : places)
            made[place].error = error;
    };
    try {
        const Result<std::vector<std::optional<HostTensor>>> values =
            source == ValueSource::Reference ? allOf(interpret(of, wanted, stop)) : store(of, buffers, stop);
        if (stop.stop_requested())
            return std::vector<ValueOpening>(nodes.size());
        if (!values)
            tellAll(toText(values.error()));
        for (std::size_t i = 0; values && i < wanted.size(); ++i) {
            const std::optional<HostTensor> &value = (*values)[i];
            if (!value)
                made[places[i]].error = kNotChosen;
            else
                made[places[i]].value =
                    std::make_shared<const TensorView>(format("%{}", wanted[i].value), asNode(graph.node(wanted[i]), *value));
        }
    } catch (const std::exception &exception) {
        tellAll(toText(diagnosticOf(exception)));
    }
    return made;
}

std::string Explorer::valuePath(std::uint32_t node) const
{
    const GraphPtr &graph = m_implementation->compilation.graph;
    return graph == nullptr || node >= graph->size() ? std::string() : ValuePaths(*graph).of(NodeId(node));
}

std::vector<ValueOpening> Explorer::valuesNamed(const std::vector<std::string> &paths, ValueSource source, std::stop_token stop)
{
    const GraphPtr &graph = m_implementation->compilation.graph;
    std::vector<ValueOpening> made(paths.size());
    if (graph == nullptr)
        return std::vector<ValueOpening>(paths.size(), notCompiled());
    const ValuePaths known(*graph);
    std::vector<std::uint32_t> nodes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const NodeId id = known.find(paths[i]);
        if (!id.isValid()) {
            made[i].error = format("the program has no value {}", sw::quoted(paths[i]));
            continue;
        }
        nodes.push_back(id.value);
        places.push_back(i);
    }
    std::vector<ValueOpening> values = nodeValues(nodes, source, std::move(stop));
    for (std::size_t i = 0; i < places.size(); ++i)
        made[places[i]] = std::move(values[i]);
    return made;
}

HealthReport Explorer::health(const ProgressCallback &onProgress, std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    if (own.compilation.graph == nullptr)
        return {};
    HealthReport report;
    try {
        const auto values = interpretedValues(*own.compilation.graph, own.inputs);
        auto nodes = values ? healthOf(*own.compilation.graph, *values, stop, onProgress) : values.failure();
        if (stop.stop_requested())
            return {};
        if (nodes)
            report.nodes = std::move(*nodes);
        else
            report.error = toText(nodes.error());
    } catch (const std::exception &exception) {
        report.error = toText(diagnosticOf(exception));
    }
    return report;
}

ValueOpening Explorer::bufferValue(std::uint32_t buffer, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.compilation.program == nullptr || buffer >= own.compilation.schedule->buffers.size())
        return {nullptr, format("there is no buffer {}", buffer)};
    return guarded(stop, [&]() -> ValueOpening {
        const BufferId id(buffer);
        const auto values = own.store(own.compilation, {&id, 1}, stop);
        if (!values)
            return {nullptr, toText(values.error())};
        if (!values->front())
            return {nullptr, std::string(kNotChosen)};
        return opened(own.compilation.schedule->buffer(id).name, *values->front());
    });
}

} // namespace sw
