#include "engine/passes/graph/value_signs.h"

#include "engine/passes/graph/constants.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace sw {

namespace {

constexpr std::size_t kMostNodes = 128; // that are looked at: the answer is near, or it is none

bool isPlusOrZero(const Scalar &value)
{
    return !std::signbit(value.asDouble());
}

// The operands that must all be non-negative for the node to be; nothing: it may be negative whatever they are.
std::optional<std::vector<NodeId>> elementwiseNeeds(const GraphBuilder &builder, const Node &node)
{
    const auto is = [&](std::initializer_list<Op> operations) {
        return std::ranges::find(operations, node.op) != operations.end();
    };
    if (node.kind == NodeKind::Cast) {
        const DType from = builder.node(node.inputs[0]).dtype;
        return isFloat(from) ? std::optional(node.inputs) : std::nullopt;
    }
    if (node.kind == NodeKind::Unary && is({Op::Abs, Op::Exp, Op::Exp2, Op::Satur01}))
        return std::vector<NodeId>{};
    if (node.kind == NodeKind::Unary && is({Op::Sqrt}))
        return node.inputs;
    if (node.kind == NodeKind::Binary && is({Op::Add, Op::Mul, Op::Div, Op::Fdiv, Op::Min}))
        return node.inputs;
    if (node.kind == NodeKind::Ternary && node.op == Op::Where)
        return std::vector{node.inputs[1], node.inputs[2]};
    return std::nullopt;
}

std::optional<std::vector<NodeId>> needsOf(const GraphBuilder &builder, const Node &node)
{
    const bool isJoined = node.kind == NodeKind::Cat || node.kind == NodeKind::Contiguous;
    const bool isGathered = node.kind == NodeKind::ReduceAxis &&
                            (node.op == Op::Add || node.op == Op::Mul || node.op == Op::Max || node.op == Op::Min);
    if (node.kind == NodeKind::Pad && !isPlusOrZero(attributesOf<PadAttributes>(node).fill))
        return std::nullopt;
    if (isJoined || isGathered || familyOf(node.kind) == NodeFamily::Movement) // a view has 0 outside of its mask
        return node.inputs;
    return elementwiseNeeds(builder, node);
}

class Signs {
public:
    explicit Signs(const GraphBuilder &builder) : m_builder(builder) {}

    [[nodiscard]] bool areNonNegative(NodeId id)
    {
        if (std::ranges::find(m_seen, id) != m_seen.end())
            return true; // or the answer to the whole is no already
        if (++m_looks > kMostNodes)
            return false;
        m_seen.push_back(id);
        if (const std::optional<Scalar> constant = splatOf(m_builder, id))
            return isPlusOrZero(*constant);
        const Node &node = m_builder.node(id);
        if (node.kind == NodeKind::Binary && node.op == Op::Max) // as soon as one of them is; NaN stays
            return areNonNegativeAlone(node.inputs[0]) || areNonNegativeAlone(node.inputs[1]);
        const std::optional<std::vector<NodeId>> needs = needsOf(m_builder, node);
        return needs && std::ranges::all_of(*needs, [&](NodeId need) { return areNonNegative(need); });
    }

private:
    // A question of its own: no as an answer to it is none to the whole.
    [[nodiscard]] bool areNonNegativeAlone(NodeId id)
    {
        const std::vector<NodeId> before = m_seen;
        const bool are = areNonNegative(id);
        if (!are)
            m_seen = before;
        return are;
    }

    const GraphBuilder &m_builder;
    std::vector<NodeId> m_seen;
    std::size_t m_looks = 0;
};

} // namespace

bool isNonNegative(const GraphBuilder &builder, NodeId id)
{
    return isFloat(builder.node(id).dtype) && Signs(builder).areNonNegative(id);
}

} // namespace sw
