#include "engine/graph/output_crops.h"

#include "engine/types/box.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sw {

namespace {

std::string unusedName(std::string name, const std::vector<std::string> &taken)
{
    while (std::ranges::find(taken, name) != taken.end())
        name += '_';
    return name;
}

} // namespace

CountedOutputs countedOutputsOf(const Graph &graph)
{
    CountedOutputs found{{graph.outputs().begin(), graph.outputs().end()}, {}};
    if (const auto *sink = std::get_if<SinkAttributes>(&graph.nodes().back().attributes))
        found.crops = sink->crops;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i)
        for (const Node *node = &graph.node(graph.outputs()[i]); node->kind == NodeKind::Crop;
             node = &graph.node(node->inputs[0])) {
            const auto first = found.nodes.begin() + static_cast<std::ptrdiff_t>(graph.outputs().size());
            const auto place = std::find(first, found.nodes.end(), node->inputs[1]);
            found.crops.push_back({.output = i,
                                   .axis = attributesOf<AxisAttributes>(*node).axis,
                                   .count = static_cast<std::size_t>(place - found.nodes.begin())});
            if (place == found.nodes.end())
                found.nodes.push_back(node->inputs[1]);
        }
    return found;
}

std::vector<HostTensor> croppedLike(const CountedOutputs &outputs, std::vector<HostTensor> others,
                                    const std::vector<HostTensor> &values)
{
    std::unordered_set<std::size_t> counts;
    for (const OutputCrop &crop : outputs.crops) {
        HostTensor &whole = others[crop.output];
        std::vector<std::int64_t> extents(whole.shape().begin(), whole.shape().end());
        std::int64_t &extent = extents[crop.axis];
        extent = std::clamp<std::int64_t>(values[crop.count].at(0).castTo(DType::I64).asInt(), 0, extent);
        whole = cropped(whole, Shape(std::move(extents)));
        counts.insert(crop.count);
    }
    std::vector<HostTensor> returned;
    for (std::size_t i = 0; i < others.size(); ++i)
        if (!counts.contains(i))
            returned.push_back(std::move(others[i]));
    return returned;
}

std::vector<HostTensor> croppedOutputs(const CountedOutputs &outputs, std::vector<HostTensor> values)
{
    if (!outputs.isCounted())
        return values;
    std::vector<HostTensor> all = values;
    return croppedLike(outputs, std::move(all), values);
}

Graph withCountsAsOutputs(const Graph &graph)
{
    const CountedOutputs outputs = countedOutputsOf(graph);
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    Node &sink = nodes.back();
    auto &attributes = std::get<SinkAttributes>(sink.attributes);
    sink.inputs = outputs.nodes;
    attributes.crops = outputs.crops;
    for (NodeId &output : sink.inputs)
        while (nodes[output.value].kind == NodeKind::Crop)
            output = nodes[output.value].inputs[0];
    for (std::size_t i = attributes.outputNames.size(); i < outputs.nodes.size(); ++i) {
        const auto counted = std::ranges::find(outputs.crops, i, &OutputCrop::count);
        attributes.outputNames.push_back(unusedName(attributes.outputNames[counted->output] + ".count", attributes.outputNames));
    }
    return Graph(std::move(nodes), graph.sourcesPtr());
}

} // namespace sw
