#include "tests/support/meaning.h"

#include "engine/execute/dimensions.h"
#include "engine/graph/dimension_nodes.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/verify.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/differentiate.h"

#include <algorithm>

namespace sw::test {

namespace {

bool hasGradients(const Graph &graph)
{
    return std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Gradient; });
}

} // namespace

Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs)
{
    if (graph.isSymbolic()) {
        std::vector<GivenShape> shapes;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            shapes.push_back({i, inputs[i].shape()});
        SW_TRY(const SymbolicBindings dimensions, dimensionsOf(graph, shapes, {}));
        SW_TRY(const Graph fixed, bindDimensions(graph, dimensions));
        return meaningOf(fixed, inputs);
    }
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {});
    if (!hasGradients(graph))
        return interpretGraph(graph, inputs);
    SW_TRY(const auto simpler, decomposeNodes(graph, context));
    SW_TRY(const auto written, differentiate(simpler ? *simpler : graph, context));
    if (!written)
        return interpretGraph(graph, inputs);
    SW_CHECK(verifyGraph(*written));
    return interpretGraph(*written, inputs);
}

} // namespace sw::test
