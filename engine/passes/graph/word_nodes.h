#pragma once
// 32-bit words as graph nodes of one shape, with the operators that the random generators are written with.

#include "engine/graph/builder.h"

#include <map>

namespace sw {

class WordNodes;

struct WordNode {
    WordNodes *nodes = nullptr;
    NodeId id;
};

// Makes u32 nodes of one shape and one origin. Operands are right by construction, so nothing here can fail.
class WordNodes {
public:
    WordNodes(GraphBuilder &builder, const Origin &origin, Shape shape)
        : m_builder(builder), m_origin(origin), m_shape(std::move(shape))
    {
    }

    [[nodiscard]] WordNode word(NodeId id) { return {this, id}; }
    [[nodiscard]] WordNode binary(Op op, WordNode a, WordNode b);
    [[nodiscard]] WordNode constant(std::uint32_t value); // each value is made once

private:
    GraphBuilder &m_builder;
    const Origin &m_origin;
    Shape m_shape;
    std::map<std::uint32_t, NodeId> m_constants;
};

[[nodiscard]] WordNode operator+(WordNode a, WordNode b);
[[nodiscard]] WordNode operator+(WordNode a, std::uint32_t b);
[[nodiscard]] WordNode operator^(WordNode a, WordNode b);
[[nodiscard]] WordNode operator^(WordNode a, std::uint32_t b);
[[nodiscard]] WordNode operator>>(WordNode a, std::uint32_t bits);
[[nodiscard]] WordNode rotatedLeft(WordNode word, std::uint32_t bits);

} // namespace sw
