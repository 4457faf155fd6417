#include "engine/passes/graph/word_nodes.h"

#include <array>

namespace sw {

WordNode WordNodes::binary(Op op, WordNode a, WordNode b)
{
    return {this, m_builder.elementwise(m_origin, op, std::array{a.id, b.id}).value()};
}

WordNode WordNodes::constant(std::uint32_t value)
{
    const auto known = m_constants.find(value);
    if (known != m_constants.end())
        return {this, known->second};
    const NodeId made = m_builder.full(m_origin, Scalar::fromBits(DType::U32, value), m_shape).value();
    m_constants.emplace(value, made);
    return {this, made};
}

WordNode operator+(WordNode a, WordNode b)
{
    return a.nodes->binary(Op::Add, a, b);
}

WordNode operator+(WordNode a, std::uint32_t b)
{
    return a + a.nodes->constant(b);
}

WordNode operator^(WordNode a, WordNode b)
{
    return a.nodes->binary(Op::Xor, a, b);
}

WordNode operator^(WordNode a, std::uint32_t b)
{
    return a ^ a.nodes->constant(b);
}

WordNode operator>>(WordNode a, std::uint32_t bits)
{
    return a.nodes->binary(Op::Shr, a, a.nodes->constant(bits));
}

WordNode rotatedLeft(WordNode word, std::uint32_t bits)
{
    WordNodes &nodes = *word.nodes;
    const WordNode high = nodes.binary(Op::Shl, word, nodes.constant(bits));
    return nodes.binary(Op::Or, high, word >> (32 - bits));
}

} // namespace sw
