#include "tests/fuzz/random_gradients.h"

#include "engine/graph/builder.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/differentiate.h"

#include <cmath>
#include <string>
#include <utility>

namespace sw {

namespace {

// Gradients are taken of what composite nodes are written as.
Graph decomposed(const Graph &graph)
{
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {});
    auto simpler = decomposeNodes(graph, context).value();
    return simpler ? std::move(*simpler) : graph;
}

// Without the sink.
GraphBuilder builderOf(const Graph &graph)
{
    GraphBuilder builder(graph.sourcesPtr());
    for (std::size_t i = 0; i + 1 < graph.size(); ++i)
        builder.addUnchecked(graph.node(NodeId(i)));
    return builder;
}

std::vector<NodeId> addGradients(GraphBuilder &builder, const Graph &graph, const HostTensor &weights)
{
    const Origin &origin = graph.nodes().back().origin;
    const NodeId weightsId = builder.vconst(origin, weights);
    std::vector<NodeId> gradients;
    for (const NodeId input : graph.placeholders())
        if (isFloat(graph.node(input).dtype))
            gradients.push_back(builder.gradient(origin, graph.outputs()[0], input, weightsId).value());
    return gradients;
}

Graph finished(GraphBuilder builder, const Graph &graph, std::vector<NodeId> outputs)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        names.push_back(format("output {}", i));
    return std::move(builder).finish(graph.nodes().back().origin, std::move(outputs), std::move(names)).value();
}

} // namespace

HostTensor gradientWeights(DType dtype, const Shape &shape)
{
    HostTensor weights(dtype, shape);
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        weights.set(i, Scalar::of(dtype, std::cos(static_cast<double>(i))));
    return weights;
}

std::optional<Graph> gradientsOf(const Graph &given, const HostTensor &weights)
{
    const Graph graph = decomposed(given);
    GraphBuilder builder = builderOf(graph);
    std::vector<NodeId> gradients = addGradients(builder, graph, weights);
    if (gradients.empty())
        return std::nullopt;
    return finished(std::move(builder), graph, std::move(gradients));
}

std::optional<RandomGraph> withGradients(const RandomGraph &random)
{
    const Graph graph = decomposed(random.graph);
    const Node &output = graph.node(graph.outputs()[0]);
    if (!isFloat(output.dtype))
        return std::nullopt;
    GraphBuilder builder = builderOf(graph);
    std::vector<NodeId> outputs = addGradients(builder, graph, gradientWeights(output.dtype, output.shape));
    if (outputs.empty())
        return std::nullopt;
    outputs.insert(outputs.begin(), graph.outputs()[0]);
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {});
    auto written = differentiate(finished(std::move(builder), graph, std::move(outputs)), context);
    if (!written)
        return std::nullopt;
    return RandomGraph{std::move(**written), random.inputs};
}

} // namespace sw
