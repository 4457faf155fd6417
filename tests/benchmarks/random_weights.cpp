#include "tests/benchmarks/random_weights.h"

#include "engine/types/random_fill.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace sw::benchmark {

namespace {

// Reshapes and expansions of a scalar constant, or a constant whose elements are all the same.
bool isOneNumber(const Graph &graph, NodeId id)
{
    const Node *node = &graph.node(id);
    while (node->kind == NodeKind::Reshape || node->kind == NodeKind::Expand)
        node = &graph.node(node->inputs[0]);
    if (node->kind != NodeKind::Vconst)
        return node->kind == NodeKind::ConstScalar;
    const HostTensor &value = *std::get<TensorAttributes>(node->attributes).value;
    for (std::int64_t i = 1; i < value.elements(); ++i)
        if (value.at(i) != value.at(0))
            return false;
    return true;
}

// A value that the model names: the zeros of a relu, which an importer makes, have no name.
bool isWeight(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    return !node.name.empty() && isFloat(node.dtype) && !node.shape.isSymbolic() && node.shape.elements() > 1 &&
           isOneNumber(graph, id);
}

HostTensor weightsOf(const Node &node, std::uint64_t seed)
{
    HostTensor values = randomTensor(node.dtype, node.shape, seed); // in [-1, 1]
    const std::int64_t elements = node.shape.elements();
    const bool isMatrix = node.shape.rank() >= 2;
    const double fanIn = isMatrix ? static_cast<double>(elements) / static_cast<double>(node.shape[0]) : 1;
    const double scale = isMatrix ? std::sqrt(6 / fanIn) : 0.25;
    const double offset = isMatrix ? 0 : 0.5;
    for (std::int64_t i = 0; i < elements; ++i)
        values.set(i, Scalar::of(node.dtype, offset + scale * values.at(i).asDouble()));
    return values;
}

} // namespace

RandomWeights withRandomWeights(const Graph &graph, std::uint64_t seed)
{
    RandomWeights made{graph};
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!isWeight(graph, NodeId(i)))
            continue;
        Node &node = nodes[i];
        node.attributes = TensorAttributes{std::make_shared<const HostTensor>(weightsOf(node, seed + i))};
        node.kind = NodeKind::Vconst;
        node.inputs.clear();
        ++made.tensors;
        made.elements += node.shape.elements();
    }
    made.graph = Graph(std::move(nodes), graph.sourcesPtr());
    return made;
}

} // namespace sw::benchmark
