// From an index with one expression for each axis to one number, and back.

#include "engine/loops/stages.h"
#include "engine/passes/loops/pull.h"

#include <algorithm>

namespace sw {

ExprId ValuePuller::summed(const std::vector<ExprId> &index, const std::vector<std::int64_t> &strides)
{
    ExprId flat = m_nest.arena.constant(0);
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        flat = m_nest.arena.add(flat, m_nest.arena.multiply(index[axis], strides[axis]));
    return flat;
}

ExprId ValuePuller::flatIndex(const Shape &shape, const std::vector<ExprId> &index)
{
    return summed(index, rowMajorStrides(shape));
}

ExprId ValuePuller::keptIndex(NodeId stage, const std::vector<ExprId> &index)
{
    const Node &node = m_graph.node(stage);
    const ScheduledKernel &kernel = m_schedule.kernel(m_kernel);
    return summed(index, keptStridesOf(node.shape, kernel.rowAxes, node.dtype, m_schedule.device(kernel.device).wayBytes));
}

std::vector<ExprId> ValuePuller::unravelled(ExprId flat, const Shape &shape)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(shape);
    std::vector<ExprId> index(shape.rank());
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const ExprId quotient = m_nest.arena.divide(flat, std::max<std::int64_t>(strides[axis], 1));
        // The flat index is in range, so the outermost quotient is too.
        index[axis] = axis == 0 ? quotient : m_nest.arena.modulo(quotient, std::max<std::int64_t>(shape[axis], 1));
    }
    return index;
}

} // namespace sw
