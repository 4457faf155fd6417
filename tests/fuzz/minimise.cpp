#include "tests/fuzz/minimise.h"

#include "engine/backend/native_backends.h"
#include "engine/execute/wrong_rewrite.h"
#include "engine/graph/evaluate_node.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sw {

namespace {

// The value of every node but the sink, by the reference.
std::optional<std::vector<HostTensor>> valuesOf(const RandomGraph &random)
{
    const Graph &graph = random.graph;
    std::vector<HostTensor> values(graph.size());
    std::size_t input = 0;
    for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
        const Node &node = graph.node(NodeId(i));
        if (node.kind == NodeKind::Placeholder) {
            values[i] = random.inputs.at(input++);
            continue;
        }
        std::vector<HostTensor> operands;
        for (const NodeId operand : node.inputs)
            operands.push_back(values[operand.value]);
        auto value = evaluateNode(node, operands, {{}, NodeId(i), {}});
        if (!value)
            return std::nullopt;
        values[i] = std::move(*value);
    }
    return values;
}

// Copies the nodes that an output needs, in their order, some of them as placeholders.
class Extractor {
public:
    Extractor(const RandomGraph &from, const std::vector<HostTensor> &values) : m_from(from), m_values(values) {}

    // given: becomes a placeholder of its value.
    RandomGraph extract(NodeId output, std::optional<NodeId> given = std::nullopt)
    {
        const Graph &graph = m_from.graph;
        std::vector<bool> isNeeded(graph.size());
        isNeeded[output.value] = true;
        for (std::size_t i = output.value + 1; i-- > 0;)
            if (isNeeded[i] && (!given || given->value != i))
                for (const NodeId input : graph.node(NodeId(i)).inputs)
                    isNeeded[input.value] = true;
        std::map<NodeId, NodeId> moved;
        for (std::size_t i = 0; i <= output.value; ++i)
            if (isNeeded[i])
                moved.emplace(NodeId(i), copy(NodeId(i), given && given->value == i, moved));
        m_nodes.push_back({NodeKind::Sink,
                           Op::Add,
                           DType::F32,
                           {},
                           {moved.at(output)},
                           SinkAttributes{{"output"}},
                           graph.nodes().back().origin,
                           SourceMap::rootScope(),
                           {}});
        return {Graph(std::move(m_nodes), graph.sourcesPtr()), std::move(m_inputs)};
    }

private:
    NodeId copy(NodeId id, bool isGiven, const std::map<NodeId, NodeId> &moved)
    {
        Node node = m_from.graph.node(id);
        for (NodeId &input : node.inputs)
            if (!isGiven)
                input = moved.at(input);
        if (isGiven) {
            node.kind = NodeKind::Placeholder;
            node.op = Op::Add;
            node.inputs.clear();
            node.attributes = PlaceholderAttributes{};
        }
        if (auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes)) {
            placeholder->name = format("x{}", m_inputs.size());
            m_inputs.push_back(m_values[id.value]);
        }
        m_nodes.push_back(std::move(node));
        return NodeId(m_nodes.size() - 1);
    }

    const RandomGraph &m_from;
    const std::vector<HostTensor> &m_values;
    std::vector<Node> m_nodes;
    std::vector<HostTensor> m_inputs;
};

// The smaller graphs to try, those first that leave out most.
std::optional<RandomGraph> smaller(const RandomGraph &failing, const StillFails &fails)
{
    const auto values = valuesOf(failing);
    if (!values)
        return std::nullopt;
    const Graph &graph = failing.graph;
    const auto isSmaller = [&](const RandomGraph &tried) {
        return tried.graph.size() < graph.size() || tried.inputs.size() < failing.inputs.size();
    };
    const auto attempt = [&](NodeId output, std::optional<NodeId> given) -> std::optional<RandomGraph> {
        RandomGraph tried = Extractor(failing, *values).extract(output, given);
        if (isSmaller(tried) && fails(tried))
            return tried;
        return std::nullopt;
    };
    for (std::size_t i = 0; i + 1 < graph.size(); ++i)
        if (auto found = attempt(NodeId(i), std::nullopt))
            return found;
    if (graph.outputs().size() != 1)
        return std::nullopt;
    const NodeId output = graph.outputs()[0];
    for (std::size_t i = output.value; i-- > 0;)
        if (!graph.node(NodeId(i)).inputs.empty())
            if (auto found = attempt(output, NodeId(i)))
                return found;
    return std::nullopt;
}

} // namespace

RandomGraph minimised(RandomGraph failing, const StillFails &fails)
{
    while (auto found = smaller(failing, fails))
        failing = std::move(*found);
    return failing;
}

std::string firstDifferingPass(const RandomGraph &random, std::span<const PassInfo> passes, const CompileTarget &target)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const auto interpreter = OpenedDevice::open(registry, "interpreter", {});
    if (!interpreter)
        return toText(interpreter.error());
    const PipelineRun run = runPipeline(std::make_shared<const Graph>(random.graph), passes, target, {});
    const auto found = findWrongRewrite({run, target, random.inputs, **interpreter});
    if (!found)
        return toText(found.error());
    return *found ? format("{}: {}", (*found)->passId, (*found)->difference) : std::string();
}

} // namespace sw
