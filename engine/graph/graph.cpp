#include "engine/graph/graph.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw {

namespace {

constexpr std::array kInfos = {
#define SW_NODE(kind, ...) NodeKindInfo{__VA_ARGS__},
#include "engine/graph/node_kinds.def"
#undef SW_NODE
};

constexpr std::array kAll = {
#define SW_NODE(kind, ...) NodeKind::kind,
#include "engine/graph/node_kinds.def"
#undef SW_NODE
};

bool isSameValue(const std::shared_ptr<const HostTensor> &a, const std::shared_ptr<const HostTensor> &b)
{
    if (a == b)
        return true;
    return a != nullptr && b != nullptr && a->isIdenticalTo(*b);
}

} // namespace

const NodeKindInfo &infoOf(NodeKind kind)
{
    return kInfos.at(static_cast<std::size_t>(kind));
}

std::span<const NodeKind> allNodeKinds()
{
    return kAll;
}

bool PlaceholderAttributes::operator==(const PlaceholderAttributes &other) const
{
    return name == other.name && role == other.role && isRandom == other.isRandom && seed == other.seed &&
           isSameValue(initial, other.initial) && given == other.given && dimension == other.dimension && bound == other.bound;
}

bool TensorAttributes::operator==(const TensorAttributes &other) const
{
    return isSameValue(value, other.value);
}

Node Node::readingFrom(std::span<const NodeId> made) const
{
    Node copy = *this;
    for (NodeId &input : copy.inputs)
        input = made[input.value];
    return copy;
}

NodeAttributes::NodeAttributes() noexcept = default;
NodeAttributes::NodeAttributes(const NodeAttributes &) = default;
NodeAttributes::NodeAttributes(NodeAttributes &&) noexcept = default;
NodeAttributes &NodeAttributes::operator=(const NodeAttributes &) = default;
NodeAttributes &NodeAttributes::operator=(NodeAttributes &&) noexcept = default;
NodeAttributes::~NodeAttributes() = default;

Graph::Graph(std::vector<Node> nodes, SourceMapPtr sources) : m_nodes(std::move(nodes)), m_sources(std::move(sources))
{
    SW_ASSERT(m_sources != nullptr, "a source map");
    SW_ASSERT(!m_nodes.empty() && m_nodes.back().kind == NodeKind::Sink, "a graph that ends with its sink");
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        SW_ASSERT(m_nodes[i].kind != NodeKind::Sink || i + 1 == m_nodes.size(), "only one sink");
        for (const NodeId input : m_nodes[i].inputs)
            SW_ASSERT(input.value < i, "inputs that precede their users");
    }
}

const std::vector<std::string> &Graph::outputNames() const
{
    return attributesOf<SinkAttributes>(m_nodes.back()).outputNames;
}

std::vector<NodeId> Graph::placeholders() const
{
    std::vector<NodeId> found;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].kind == NodeKind::Placeholder)
            found.emplace_back(i);
    return found;
}

bool Graph::isSymbolic() const
{
    return std::ranges::any_of(m_nodes,
                               [](const Node &node) { return node.kind == NodeKind::DefineVar || node.shape.isSymbolic(); });
}

std::vector<std::vector<NodeId>> Graph::users() const
{
    std::vector<std::vector<NodeId>> found(m_nodes.size());
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        for (const NodeId input : m_nodes[i].inputs)
            found[input.value].emplace_back(i);
    return found;
}

std::string operationText(const Node &node)
{
    switch (infoOf(node.kind).op) {
    case NodeOp::None:
        return std::string(nameOf(node.kind));
    case NodeOp::Is:
        return std::string(nameOf(node.op));
    case NodeOp::Uses:
        return format("{} {}", nameOf(node.kind), nameOf(node.op));
    }
    SW_UNREACHABLE();
}

std::string typeText(DType dtype, const Shape &shape)
{
    return format("{}{}", nameOf(dtype), toText(shape));
}

} // namespace sw
