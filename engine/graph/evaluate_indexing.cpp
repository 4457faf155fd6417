#include "engine/graph/evaluate_node.h"

namespace sw {

IndexFaultCounter::IndexFaultCounter(const EvaluateContext &context, std::size_t axis, std::int64_t extent) : m_context(context)
{
    m_fault.node = context.node;
    m_fault.axis = axis;
    m_fault.extent = extent;
}

bool IndexFaultCounter::isInRange(std::int64_t index)
{
    if (index >= 0 && index < m_fault.extent)
        return true;
    if (m_fault.count++ == 0)
        m_fault.index = index;
    return false;
}

void IndexFaultCounter::report() const
{
    if (m_fault.count > 0 && m_context.onFault)
        m_context.onFault(m_fault);
}

HostTensor evaluateGather(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    const HostTensor &source = inputs[0];
    const HostTensor &indices = inputs[1];
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    const std::vector<std::int64_t> strides = rowMajorStrides(source.shape());
    std::vector<std::int64_t> at(source.shape().rank());
    HostTensor out(node.dtype, node.shape);
    IndexFaultCounter faults(context, axis, source.shape()[axis]);
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        unravel(i, node.shape, at);
        at[axis] = indices.at(i).asInt();
        if (faults.isInRange(at[axis]))
            out.set(i, source.at(ravel(at, strides)));
    }
    faults.report();
    return out;
}

HostTensor evaluateIndex(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    const HostTensor &source = inputs[0];
    const HostTensor &indices = inputs[1];
    HostTensor out(node.dtype, node.shape);
    IndexFaultCounter faults(context, reportedAxis(node), source.elements());
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        if (inputs.size() == 3 && !inputs[2].at(i).asBool())
            continue;
        const std::int64_t index = indices.at(i).asInt();
        if (faults.isInRange(index))
            out.set(i, source.at(index));
    }
    faults.report();
    return out;
}

} // namespace sw
