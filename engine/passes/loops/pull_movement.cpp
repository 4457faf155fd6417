// Reads through nodes that move elements: turns an index of the result into an index of the input.

#include "engine/passes/loops/pull.h"

#include <utility>

namespace sw {

Result<ValueId> ValuePuller::movement(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const Shape &from = m_graph.node(node.inputs[0]).shape;
    std::vector<ExprId> inner = index;
    switch (infoOf(node.kind).movement) {
    case Movement::Reshape:
        inner = reshaped(node.shape, index, from);
        break;
    case Movement::Permute: {
        const auto &axes = attributesOf<AxesAttributes>(node).axes;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            inner[axes[axis]] = index[axis];
        break;
    }
    case Movement::Expand:
        for (std::size_t axis = 0; axis < inner.size(); ++axis)
            if (from[axis] == 1)
                inner[axis] = m_nest.arena.constant(0);
        break;
    case Movement::Shrink: {
        const auto &begin = attributesOf<ShrinkAttributes>(node).begin;
        for (std::size_t axis = 0; axis < inner.size(); ++axis)
            inner[axis] = m_nest.arena.add(index[axis], m_nest.arena.constant(begin[axis]));
        break;
    }
    case Movement::Flip:
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
            inner[axis] = m_nest.arena.add(m_nest.arena.constant(from[axis] - 1), m_nest.arena.multiply(index[axis], -1));
        break;
    case Movement::Identity:
        break;
    case Movement::Pad:  // may be outside of the input: see pad()
    case Movement::View: // likewise: see view()
    case Movement::None:
        SW_UNREACHABLE();
    }
    return valueAt(node.inputs[0], inner, conditions);
}

} // namespace sw
