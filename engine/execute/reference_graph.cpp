#include "engine/execute/reference_graph.h"

#include "engine/graph/dimension_nodes.h"
#include "engine/graph/verify.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/differentiate.h"

#include <algorithm>

namespace sw {

namespace {

bool hasGradients(const Graph &graph)
{
    return std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Gradient; });
}

} // namespace

Result<GraphPtr> referenceGraphOf(const GraphPtr &graph, const SymbolicBindings &dimensions)
{
    if (graph->isSymbolic()) {
        SW_TRY(Graph fixed, bindDimensions(*graph, dimensions));
        return referenceGraphOf(std::make_shared<const Graph>(std::move(fixed)), dimensions);
    }
    if (!hasGradients(*graph))
        return graph;
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {});
    SW_TRY(auto simpler, decomposeNodes(*graph, context));
    SW_TRY(auto written, differentiate(simpler ? *simpler : *graph, context));
    if (!written)
        return graph;
    SW_CHECK(verifyGraph(*written));
    return std::make_shared<const Graph>(std::move(*written));
}

} // namespace sw
