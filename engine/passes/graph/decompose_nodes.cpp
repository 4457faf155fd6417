#include "engine/passes/graph/decompose_nodes.h"

#include "engine/graph/output_crops.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

bool namesDevices(const Graph &graph)
{
    return std::ranges::any_of(graph.nodes(), [](const Node &node) {
        return node.kind == NodeKind::Device || node.kind == NodeKind::Copy || node.kind == NodeKind::Multi;
    });
}

constexpr std::array kOutputRules = {
    StepRule{"count-outputs", "What is cropped becomes an output as it is, and its count one more, by which the host cuts it."},
};

// What is cropped becomes an output as it is, with its count as one more. Nothing: no output is cropped.
std::optional<Graph> withCountsBeside(const Graph &graph, PassContext &context)
{
    const CountedOutputs outputs = countedOutputsOf(graph);
    if (outputs.nodes.size() == graph.outputs().size() || !context.mayRewrite())
        return std::nullopt;
    context.record(kOutputRules[0].id, [&] {
        RewriteDetail detail{join(outputs.crops, ", ",
                                  [&](const OutputCrop &crop) {
                                      return format("{} has %{} elements along axis {}", graph.outputNames()[crop.output],
                                                    outputs.nodes[crop.count].value, crop.axis);
                                  }),
                             {},
                             {graph.sink().value}};
        for (const NodeId output : graph.outputs())
            if (graph.node(output).kind == NodeKind::Crop)
                detail.before.push_back(output.value);
        return detail;
    });
    return withCountsAsOutputs(graph);
}

} // namespace

std::span<const StepRule> outputRules()
{
    return kOutputRules;
}

Result<std::optional<Graph>> decomposeNodes(const Graph &graph, PassContext &context)
{
    if (std::optional<Graph> counted = withCountsBeside(graph, context)) {
        SW_TRY(std::optional<Graph> simpler, decomposeNodes(*counted, context));
        return simpler ? std::move(simpler) : std::move(counted);
    }
    std::vector<GraphRule> rules;
    for (const std::span<const GraphRule> rows :
         {vectorNodeRules(), productNodeRules(), assignRules(), namesDevices(graph) ? placedCustomRules() : customRules(),
          scatterRules(), randomNodeRules(), catRules()})
        rules.insert(rules.end(), rows.begin(), rows.end());
    return rewriteGraph(graph, rules, context);
}

} // namespace sw
