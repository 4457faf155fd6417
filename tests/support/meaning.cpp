#include "tests/support/meaning.h"

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
