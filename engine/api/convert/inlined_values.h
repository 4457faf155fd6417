#pragma once
// Which nodes of a graph need no line of their own in a program, because the language makes them again where they are read: a
// number takes type and shape of the other operand, and an operand of a smaller shape is repeated.

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace sw {

class InlinedValues {
public:
    // kept: nodes that get a line in any case, because a call reads them.
    InlinedValues(const Graph &graph, std::span<const NodeId> kept);

    [[nodiscard]] bool contains(NodeId id) const { return m_isInlined[id.value]; }
    // The node is one number everywhere, and has a line: full(shape, number, dtype).
    [[nodiscard]] bool isFull(NodeId id) const;
    // The number that a scalar constant is, also where it is brought to a shape as the language brings a number to one; null: the
    // node is something else.
    [[nodiscard]] const Scalar *numberOf(NodeId id) const;

private:
    [[nodiscard]] bool isInlined(NodeId id) const;
    [[nodiscard]] bool isReadAsNumber(NodeId user, NodeId operand) const;
    [[nodiscard]] bool isRepeatedBy(NodeId user, NodeId expanded) const;

    const Graph &m_graph;
    std::vector<std::vector<NodeId>> m_users;
    std::vector<bool> m_isInlined;
};

} // namespace sw
