#include "engine/passes/graph/constants.h"

#include "engine/graph/evaluate_node.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace sw {

namespace {

// Constants are folded step by step, so few moves lie between a value and its constant.
constexpr std::size_t kMostMoves = 64;

// The kinds that move elements without making new values.
bool onlyMoves(NodeKind kind)
{
    return kind == NodeKind::Reshape || kind == NodeKind::Expand || kind == NodeKind::Permute || kind == NodeKind::Shrink ||
           kind == NodeKind::Flip;
}

// A constant whose elements were only moved.
struct MovedConstant {
    NodeId constant;
    std::vector<NodeId> moves; // from the value to the constant
};

std::optional<MovedConstant> movedConstant(const GraphBuilder &builder, NodeId id)
{
    MovedConstant found;
    while (onlyMoves(builder.node(id).kind)) {
        if (found.moves.size() == kMostMoves || builder.node(id).shape.elements() > kMaxFoldedElements)
            return std::nullopt;
        found.moves.push_back(id);
        id = builder.node(id).inputs[0];
    }
    const Node &root = builder.node(id);
    if (root.kind != NodeKind::Vconst || root.shape.elements() > kMaxFoldedElements)
        return std::nullopt;
    found.constant = id;
    return found;
}

} // namespace

std::optional<Scalar> splatOf(const GraphBuilder &builder, NodeId id)
{
    const Node *node = &builder.node(id);
    for (std::size_t moves = 0; onlyMoves(node->kind); ++moves) {
        if (moves == kMostMoves)
            return std::nullopt;
        node = &builder.node(node->inputs[0]);
    }
    if (node->kind == NodeKind::ConstScalar)
        return attributesOf<ScalarAttributes>(*node).value;
    if (node->kind == NodeKind::Vconst && node->shape.elements() == 1)
        return attributesOf<TensorAttributes>(*node).value->at(0);
    return std::nullopt;
}

bool isConstant(const GraphBuilder &builder, NodeId id)
{
    return builder.node(id).shape.elements() <= kMaxFoldedElements &&
           (splatOf(builder, id).has_value() || movedConstant(builder, id).has_value());
}

std::optional<HostTensor> constantOf(const GraphBuilder &builder, NodeId id)
{
    const Shape &shape = builder.node(id).shape;
    if (shape.elements() > kMaxFoldedElements)
        return std::nullopt;
    if (const auto splat = splatOf(builder, id))
        return HostTensor::filled(*splat, shape);
    const std::optional<MovedConstant> moved = movedConstant(builder, id);
    if (!moved)
        return std::nullopt;
    const std::vector<NodeId> &moves = moved->moves;
    HostTensor value = *attributesOf<TensorAttributes>(builder.node(moved->constant)).value;
    for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
        auto made = evaluateNode(builder.node(*move), std::array{value}, {});
        SW_ASSERT(made.has_value(), "an evaluation that nobody can stop");
        value = std::move(made).value();
    }
    return value;
}

namespace {

class ConstantComputer {
public:
    explicit ConstantComputer(const GraphBuilder &builder) : m_builder(builder) {}

    std::optional<HostTensor> valueOf(NodeId id)
    {
        if (const auto known = m_values.find(id); known != m_values.end())
            return known->second;
        const Node &node = m_builder.node(id);
        const NodeFamily family = familyOf(node.kind);
        if (family != NodeFamily::Leaf && family != NodeFamily::Elementwise && family != NodeFamily::Movement &&
            node.kind != NodeKind::Cat)
            return std::nullopt;
        if (node.shape.isSymbolic() || node.shape.elements() > kMaxFoldedElements || m_values.size() == kMostNodes)
            return std::nullopt;
        std::optional<HostTensor> value = constantOf(m_builder, id);
        if (!value && (family != NodeFamily::Leaf || node.kind == NodeKind::Iota))
            value = computed(node);
        if (value)
            m_values.emplace(id, *value);
        return value;
    }

private:
    static constexpr std::size_t kMostNodes = 256;

    std::optional<HostTensor> computed(const Node &node)
    {
        std::vector<HostTensor> inputs;
        for (const NodeId input : node.inputs) {
            std::optional<HostTensor> value = valueOf(input);
            if (!value)
                return std::nullopt;
            inputs.push_back(std::move(*value));
        }
        Result<HostTensor> made = evaluateNode(node, inputs, {});
        return made ? std::optional(std::move(*made)) : std::nullopt;
    }

    const GraphBuilder &m_builder;
    std::map<NodeId, HostTensor> m_values;
};

} // namespace

std::optional<HostTensor> computedConstantOf(const GraphBuilder &builder, NodeId id)
{
    return ConstantComputer(builder).valueOf(id);
}

} // namespace sw
