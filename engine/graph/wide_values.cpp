#include "engine/graph/wide_values.h"

#include "engine/graph/evaluate_node.h"

#include <algorithm>

namespace sw {

namespace {

// Whether the value has no inputs of its own precision to be computed from.
bool isMadeOfBits(const Node &node)
{
    // The operands of a custom expression have the types that it declares.
    return familyOf(node.kind) == NodeFamily::Leaf || node.kind == NodeKind::Bitcast || node.kind == NodeKind::Uniform ||
           node.kind == NodeKind::Custom;
}

Node inF64(const Node &node)
{
    Node wide = node;
    wide.dtype = DType::F64;
    if (auto *pad = std::get_if<PadAttributes>(&wide.attributes))
        pad->fill = pad->fill.castTo(DType::F64);
    if (std::holds_alternative<SaturateAttributes>(wide.attributes))
        wide.attributes = NoAttributes{};
    return wide;
}

} // namespace

HostTensor widened(const HostTensor &value)
{
    if (!isFloat(value.dtype()) || value.dtype() == DType::F64)
        return value;
    HostTensor wide(DType::F64, value.shape());
    for (std::int64_t i = 0; i < value.elements(); ++i)
        wide.set(i, Scalar::of(DType::F64, value.at(i).asDouble()));
    return wide;
}

Result<HostTensor> evaluateWide(const Node &node, const HostTensor &own, std::span<const HostTensor> inputs,
                                const std::stop_token &stop)
{
    if (!isFloat(node.dtype))
        return own;
    if (isMadeOfBits(node))
        return widened(own);
    return evaluateNode(inF64(node), inputs, {stop, NodeId(), {}});
}

} // namespace sw
