// Reading through the nodes that move elements: an index of the result as one of the input.

#include "engine/passes/loops/pull.h"

#include <utility>

namespace sw {

Result<ValueId> ValuePuller::movement(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const Shape &from = m_graph.node(node.inputs[0]).shape;
    std::vector<ExprId> inner = index;
    switch (node.kind) {
    case NodeKind::Reshape:
        inner = reshaped(node.shape, index, from);
        break;
    case NodeKind::Permute: {
        const auto &axes = attributesOf<AxesAttributes>(node).axes;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            inner[axes[axis]] = index[axis];
        break;
    }
    case NodeKind::Expand:
        for (std::size_t axis = 0; axis < inner.size(); ++axis)
            if (from[axis] == 1)
                inner[axis] = m_nest.arena.constant(0);
        break;
    case NodeKind::Shrink: {
        const auto &begin = attributesOf<ShrinkAttributes>(node).begin;
        for (std::size_t axis = 0; axis < inner.size(); ++axis)
            inner[axis] = m_nest.arena.add(index[axis], m_nest.arena.constant(begin[axis]));
        break;
    }
    case NodeKind::Flip:
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
            inner[axis] = m_nest.arena.add(m_nest.arena.constant(from[axis] - 1), m_nest.arena.multiply(index[axis], -1));
        break;
    case NodeKind::Placeholder:
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::Iota:
    case NodeKind::DefineVar:
    case NodeKind::Bind:
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
    case NodeKind::View:
    case NodeKind::Pad:
    case NodeKind::ReduceAxis:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Cat:
    case NodeKind::Gather:
    case NodeKind::Index:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Gradient:
    case NodeKind::Scatter:
    case NodeKind::Custom:
    case NodeKind::Assign:
    case NodeKind::BufferView:
    case NodeKind::Valid:
    case NodeKind::Gep:
    case NodeKind::Vectorize:
    case NodeKind::Wmma:
    case NodeKind::Contract:
    case NodeKind::Threefry:
    case NodeKind::Uniform:
    case NodeKind::Fuse:
    case NodeKind::Unroll:
    case NodeKind::Unique:
    case NodeKind::Noop:
    case NodeKind::Kernel:
    case NodeKind::Device:
    case NodeKind::Copy:
    case NodeKind::Multi:
    case NodeKind::Sink:
        SW_UNREACHABLE();
    }
    return valueAt(node.inputs[0], inner, conditions);
}

} // namespace sw
