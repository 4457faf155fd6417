#include "engine/graph/interpreter.h"

#include "engine/base/call_notes.h"
#include "engine/graph/evaluate_node.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

Result<Done> checkPlaceholders(const Graph &graph, std::span<const NodeId> nodes, std::span<const HostTensor> values)
{
    if (nodes.size() != values.size())
        return Diagnostic::error(Code::Argument, {}, "the graph has {} inputs and parameters, not {}", nodes.size(),
                                 values.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = graph.node(nodes[i]);
        if (node.dtype != values[i].dtype() || node.shape != values[i].shape())
            return Diagnostic::error(Code::ShapeMismatch, graph.sources().programRange(node.origin), "{} is {}, but was given {}",
                                     attributesOf<PlaceholderAttributes>(node).name, typeText(node.dtype, node.shape),
                                     typeText(values[i].dtype(), values[i].shape()));
    }
    return Done{};
}

Result<HostTensor> evaluated(const Graph &graph, NodeId id, std::span<const HostTensor> values, const InterpretOptions &options)
{
    std::vector<HostTensor> inputs;
    for (const NodeId input : graph.node(id).inputs)
        inputs.push_back(values[input.value]);
    return evaluateNode(graph.node(id), inputs, {options.stop, id, options.onFault});
}

} // namespace

std::vector<NodeId> lastReaders(const Graph &graph)
{
    std::vector<NodeId> last(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i)
        for (const NodeId input : graph.node(NodeId(i)).inputs)
            last[input.value] = NodeId(i);
    return last;
}

Result<std::vector<HostTensor>> interpretGraph(const Graph &graph, std::span<const HostTensor> placeholders,
                                               const InterpretOptions &options)
{
    SW_CHECK(checkPlaceholders(graph, graph.placeholders(), placeholders));
    const std::vector<NodeId> last = lastReaders(graph);
    std::vector<HostTensor> values(graph.size());
    std::size_t nextPlaceholder = 0;
    for (NodeId id(0U); id < graph.sink(); ++id.value) {
        const Node &node = graph.node(id);
        if (node.kind == NodeKind::Placeholder) {
            values[id.value] = placeholders[nextPlaceholder++];
        } else {
            SW_TRY(values[id.value], evaluated(graph, id, values, options));
        }
        if (options.onValue)
            options.onValue(id, values[id.value]);
        for (const NodeId input : node.inputs)
            if (last[input.value] == id)
                values[input.value] = HostTensor();
    }
    std::vector<HostTensor> outputs;
    for (const NodeId output : graph.outputs())
        outputs.push_back(values[output.value]);
    return outputs;
}

Result<std::vector<HostTensor>> interpretNodes(const Graph &graph, std::span<const HostTensor> placeholders,
                                               std::span<const NodeId> wanted, const InterpretOptions &options)
{
    const std::vector<NodeId> leaves = graph.placeholders();
    SW_CHECK(checkPlaceholders(graph, leaves, placeholders));
    std::vector<bool> isWanted(graph.size());
    std::vector<bool> isNeeded(graph.size());
    for (const NodeId id : wanted) {
        SW_ASSERT(id < graph.sink(), "a node that has a value");
        isWanted[id.value] = isNeeded[id.value] = true;
    }
    std::vector<NodeId> last(graph.size()); // the last of the needed nodes that reads the node
    for (std::size_t i = graph.size(); i-- > 0;)
        for (const NodeId input : isNeeded[i] ? graph.node(NodeId(i)).inputs : std::vector<NodeId>()) {
            isNeeded[input.value] = true;
            if (!last[input.value].isValid())
                last[input.value] = NodeId(i);
        }
    std::vector<HostTensor> values(graph.size());
    for (NodeId id(0U); id < graph.sink(); ++id.value) {
        if (!isNeeded[id.value])
            continue;
        const Node &node = graph.node(id);
        if (node.kind == NodeKind::Placeholder) {
            values[id.value] = placeholders[static_cast<std::size_t>(std::ranges::find(leaves, id) - leaves.begin())];
        } else {
            SW_TRY(values[id.value], evaluated(graph, id, values, options));
        }
        if (options.onValue)
            options.onValue(id, values[id.value]);
        for (const NodeId input : node.inputs)
            if (last[input.value] == id && !isWanted[input.value])
                values[input.value] = HostTensor();
    }
    std::vector<HostTensor> made;
    for (const NodeId id : wanted)
        made.push_back(values[id.value]);
    return made;
}

Diagnostic toDiagnostic(const NodeIndexFault &fault, const Graph &graph)
{
    return toldAt(graph.sources(), graph.node(fault.node).origin,
                  Diagnostic::error(Code::IndexOutOfRange, {},
                                    "index {} is out of range for axis {} of extent {} ({} such indices)", fault.index,
                                    fault.axis, fault.extent, fault.count));
}

} // namespace sw
