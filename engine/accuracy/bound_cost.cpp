#include "engine/accuracy/error_bounds.h"
#include "engine/graph/contraction.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/scan.h"

#include <algorithm>

namespace sw {

namespace {

// A double, because sizes may exceed 63 bits and a cost need not be exact.
double elementsOf(const Node &node)
{
    double elements = 1;
    for (const std::int64_t extent : node.shape)
        elements *= static_cast<double>(extent);
    return elements;
}

double termsOf(const Graph &graph, const Node &node)
{
    // The bounds of a sum of products are sums of products too.
    constexpr double kEvaluations = 4;
    std::vector<Shape> shapes;
    for (const NodeId input : node.inputs)
        shapes.push_back(graph.node(input).shape);
    double terms = kEvaluations;
    if (node.kind == NodeKind::Wmma)
        return terms * elementsOf(node) * static_cast<double>(shapes.front()[shapes.front().rank() - 1]);
    const auto contraction = parseContraction(attributesOf<ContractAttributes>(node).subscripts);
    const auto extents = contraction ? labelExtents(*contraction, shapes) : Result<std::vector<std::int64_t>>(Failure({}));
    if (extents)
        for (const std::int64_t extent : *extents)
            terms *= static_cast<double>(extent);
    return terms;
}

double operationsOf(const Graph &graph, const Node &node)
{
    if (node.kind == NodeKind::ReduceAxis)
        return elementsOf(graph.node(node.inputs[0]));
    if (node.kind == NodeKind::Contract || node.kind == NodeKind::Wmma)
        return termsOf(graph, node);
    return elementsOf(node);
}

} // namespace

BoundCost costOfBounds(const Graph &graph, const BoundOptions &options)
{
    const double models = options.withTypical ? 2 : 1;
    const auto bytesHeld = [&](NodeId id) {
        const Node &node = graph.node(id);
        return elementsOf(node) * (static_cast<double>(bytesOf(node.dtype)) + models * static_cast<double>(sizeof(double)));
    };
    const std::vector<NodeId> last = lastReaders(graph);
    const ScanMap scans = scansOf(graph);
    BoundCost cost;
    double held = 0;
    for (NodeId id(0U); id < graph.sink(); ++id.value) {
        const std::uint32_t scan = scans.bodyOf(id);
        const double steps = scan == kNoScan ? 1 : static_cast<double>(scans.scans[scan].steps);
        cost.operations += steps * operationsOf(graph, graph.node(id));
        held += bytesHeld(id);
        cost.bytes = std::max(cost.bytes, held);
        std::vector<NodeId> freed = graph.node(id).inputs;
        std::ranges::sort(freed);
        freed.erase(std::ranges::unique(freed).begin(), freed.end());
        for (const NodeId input : freed)
            if (last[input.value] == id)
                held -= bytesHeld(input);
    }
    return cost;
}

} // namespace sw
