#include "engine/api/reduce/candidate.h"

#include "engine/execute/dimensions.h"
#include "engine/graph/infer.h"
#include "engine/types/box.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sw {

namespace {

std::size_t placeholderIndex(const Graph &graph, NodeId id)
{
    const std::vector<NodeId> placeholders = graph.placeholders();
    return static_cast<std::size_t>(std::ranges::find(placeholders, id) - placeholders.begin());
}

Node sinkOf(const Graph &graph, const std::vector<NodeId> &outputs)
{
    Node sink = graph.nodes().back();
    sink.inputs = outputs;
    SinkAttributes attributes;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        attributes.outputNames.push_back(i == 0 ? std::string("output") : format("output{}", i));
    sink.attributes = std::move(attributes);
    return sink;
}

std::string freeName(const std::set<std::string> &taken)
{
    for (std::size_t i = 0;; ++i)
        if (std::string name = format("x{}", i); !taken.contains(name))
            return name;
}

Node asInput(Node node, std::string name)
{
    node.kind = NodeKind::Placeholder;
    node.op = Op::Add;
    node.inputs.clear();
    PlaceholderAttributes attributes;
    attributes.name = std::move(name);
    node.attributes = std::move(attributes);
    return node;
}

Node withConstant(Node node, const Scalar &value)
{
    if (node.kind == NodeKind::ConstScalar)
        node.attributes = ScalarAttributes{value};
    else
        node.attributes = TensorAttributes{std::make_shared<const HostTensor>(HostTensor::filled(value, node.shape))};
    return node;
}

std::string identifierOf(const std::string &name)
{
    std::string made;
    for (const char c : name) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool isDigit = c >= '0' && c <= '9';
        made += isLetter || (isDigit && !made.empty()) ? c : '_';
    }
    return made;
}

Shape substituted(const Shape &shape, std::int64_t extent, std::int64_t other)
{
    std::vector<std::int64_t> extents(shape.extents().begin(), shape.extents().end());
    std::ranges::replace(extents, extent, other);
    return Shape(std::move(extents));
}

// Names the new extents in one node, whose inputs have their new shapes already.
void shrinkNode(Node &node, std::span<const Node *const> inputs, std::int64_t extent, std::int64_t other)
{
    node.shape = substituted(node.shape, extent, other);
    if (auto *constant = std::get_if<TensorAttributes>(&node.attributes))
        constant->value = std::make_shared<const HostTensor>(cropped(*constant->value, node.shape));
    if (auto *range = std::get_if<ShrinkAttributes>(&node.attributes))
        for (std::size_t i = 0; i < range->end.size() && i < inputs.front()->shape.rank(); ++i) {
            range->end[i] = std::min(range->end[i] == extent ? other : range->end[i], inputs.front()->shape.extents()[i]);
            range->begin[i] = std::min(range->begin[i], range->end[i] - 1);
        }
}

} // namespace

ProgramCandidate edited(const ProgramCandidate &from, const CandidateEdit &edit)
{
    const Graph &graph = *from.graph;
    const auto resolved = [&](NodeId id) {
        for (auto found = edit.replaced.find(id); found != edit.replaced.end(); found = edit.replaced.find(id))
            id = found->second;
        return id;
    };
    std::vector<bool> isNeeded(graph.size());
    for (const NodeId output : edit.outputs)
        isNeeded[resolved(output).value] = true;
    for (std::size_t i = graph.size() - 1; i-- > 0;)
        if (isNeeded[i] && !edit.given.contains(NodeId(i)))
            for (const NodeId input : graph.node(NodeId(i)).inputs)
                isNeeded[resolved(input).value] = true;
    std::set<std::string> names;
    for (const NodeId id : graph.placeholders())
        names.insert(attributesOf<PlaceholderAttributes>(graph.node(id)).name);

    ProgramCandidate made;
    std::vector<Node> nodes;
    std::map<NodeId, NodeId> moved;
    for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
        const NodeId id(i);
        if (!isNeeded[i])
            continue;
        Node node = graph.node(id);
        if (const auto given = edit.given.find(id); given != edit.given.end() && node.kind != NodeKind::Placeholder) {
            const std::string name = freeName(names);
            names.insert(name);
            node = asInput(std::move(node), name);
            made.values.push_back(given->second);
        } else if (node.kind == NodeKind::Placeholder) {
            made.values.push_back(given != edit.given.end() ? given->second : from.values.at(placeholderIndex(graph, id)));
        } else {
            if (const auto constant = edit.constants.find(id); constant != edit.constants.end())
                node = withConstant(std::move(node), constant->second);
            for (NodeId &input : node.inputs)
                input = moved.at(resolved(input));
        }
        moved.emplace(id, NodeId(nodes.size()));
        nodes.push_back(std::move(node));
    }
    std::vector<NodeId> outputs;
    for (const NodeId output : edit.outputs)
        outputs.push_back(moved.at(resolved(output)));
    nodes.push_back(sinkOf(graph, outputs));
    made.graph = std::make_shared<const Graph>(std::move(nodes), graph.sourcesPtr());
    return made;
}

std::optional<ProgramCandidate> withExtent(const ProgramCandidate &from, std::int64_t extent, std::int64_t other)
{
    const Graph &graph = *from.graph;
    std::vector<Node> nodes;
    ProgramCandidate made;
    for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
        Node node = graph.node(NodeId(i));
        std::vector<const Node *> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(&nodes.at(input.value));
        const Shape before = node.shape;
        shrinkNode(node, inputs, extent, other);
        if (node.kind == NodeKind::Placeholder) {
            made.values.push_back(cropped(from.values.at(made.values.size()), node.shape));
        } else if (familyOf(node.kind) != NodeFamily::Leaf) {
            Result<InferredType> type = inferType(node, inputs);
            if (!type) {
                node.shape = before;
                type = inferType(node, inputs);
            }
            if (!type)
                return std::nullopt;
            node.dtype = type->dtype;
            node.shape = type->shape;
        }
        nodes.push_back(std::move(node));
    }
    nodes.push_back(sinkOf(graph, {graph.outputs().begin(), graph.outputs().end()}));
    made.graph = std::make_shared<const Graph>(std::move(nodes), graph.sourcesPtr());
    return made;
}

ProgramCandidate plainCandidate(const Graph &graph, std::vector<HostTensor> values)
{
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    std::set<std::string> names;
    for (const NodeId id : graph.placeholders()) {
        std::string name = identifierOf(attributesOf<PlaceholderAttributes>(nodes[id.value]).name);
        if (name.empty() || names.contains(name))
            name = freeName(names);
        names.insert(name);
        nodes[id.value] = asInput(std::move(nodes[id.value]), name);
    }
    nodes.back() = sinkOf(graph, {graph.outputs().begin(), graph.outputs().end()});
    return {std::make_shared<const Graph>(std::move(nodes), graph.sourcesPtr()), std::move(values)};
}

std::int64_t elementsOf(const Graph &graph)
{
    std::int64_t elements = 0;
    for (const Node &node : graph.nodes())
        if (node.kind != NodeKind::Sink)
            elements += node.shape.elements();
    return elements;
}

} // namespace sw
