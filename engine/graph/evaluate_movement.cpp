#include "engine/graph/evaluate_node.h"
#include "engine/graph/strided_copy.h"

#include <algorithm>

namespace sw {

namespace {

// A copy from the whole input to the whole result; the caller narrows it for its kind of node.
StridedCopy wholeCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy;
    copy.extents.assign(node.shape.begin(), node.shape.end());
    copy.from.strides = rowMajorStrides(input.shape());
    copy.to.strides = rowMajorStrides(node.shape);
    copy.elementBytes = bytesOf(node.dtype);
    return copy;
}

StridedCopy viewCopy(const Node &node, const HostTensor &input)
{
    const auto &view = attributesOf<ViewAttributes>(node);
    StridedCopy copy = wholeCopy(node, input);
    copy.from = {view.offset, view.strides};
    for (std::size_t axis = 0; axis < view.mask.size(); ++axis) {
        const auto [first, last] = view.mask[axis];
        copy.extents[axis] = last - first;
        copy.from.offset += first * view.strides[axis];
        copy.to.offset += first * copy.to.strides[axis];
    }
    return copy;
}

StridedCopy permuteCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy = wholeCopy(node, input);
    const std::vector<std::int64_t> strides = copy.from.strides;
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        copy.from.strides[axis] = strides[axes[axis]];
    return copy;
}

StridedCopy expandCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy = wholeCopy(node, input);
    for (std::size_t axis = 0; axis < node.shape.rank(); ++axis)
        if (input.shape()[axis] != node.shape[axis])
            copy.from.strides[axis] = 0;
    return copy;
}

StridedCopy padCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy = wholeCopy(node, input);
    copy.extents.assign(input.shape().begin(), input.shape().end());
    copy.to.offset = ravel(attributesOf<PadAttributes>(node).before, copy.to.strides);
    return copy;
}

StridedCopy shrinkCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy = wholeCopy(node, input);
    copy.from.offset = ravel(attributesOf<ShrinkAttributes>(node).begin, copy.from.strides);
    return copy;
}

StridedCopy flipCopy(const Node &node, const HostTensor &input)
{
    StridedCopy copy = wholeCopy(node, input);
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes) {
        copy.from.offset += (node.shape[axis] - 1) * copy.from.strides[axis];
        copy.from.strides[axis] = -copy.from.strides[axis];
    }
    return copy;
}

StridedCopy copyOf(const Node &node, const HostTensor &input)
{
    if (node.kind == NodeKind::View)
        return viewCopy(node, input);
    if (node.kind == NodeKind::Permute)
        return permuteCopy(node, input);
    if (node.kind == NodeKind::Expand)
        return expandCopy(node, input);
    if (node.kind == NodeKind::Pad)
        return padCopy(node, input);
    if (node.kind == NodeKind::Shrink)
        return shrinkCopy(node, input);
    SW_ASSERT(node.kind == NodeKind::Flip, "a node that moves elements");
    return flipCopy(node, input);
}

} // namespace

HostTensor evaluateMovement(const Node &node, const HostTensor &input)
{
    HostTensor out = node.kind == NodeKind::Pad ? HostTensor::filled(attributesOf<PadAttributes>(node).fill, node.shape)
                                                : HostTensor(node.dtype, node.shape);
    copyStrided(copyOf(node, input), input.bytes(), out.mutableBytes());
    return out;
}

namespace {

HostTensor joined(const Node &node, std::span<const HostTensor *const> inputs, std::size_t axis)
{
    HostTensor out(node.dtype, node.shape);
    std::int64_t start = 0;
    for (const HostTensor *part : inputs) {
        const HostTensor &input = *part;
        StridedCopy copy = wholeCopy(node, input);
        copy.extents.assign(input.shape().begin(), input.shape().end());
        copy.to.offset = start * copy.to.strides[axis];
        copyStrided(copy, input.bytes(), out.mutableBytes());
        start += input.shape()[axis];
    }
    return out;
}

} // namespace

HostTensor evaluateCat(const Node &node, std::span<const HostTensor> inputs)
{
    std::vector<const HostTensor *> parts;
    for (const HostTensor &input : inputs)
        parts.push_back(&input);
    return joined(node, parts, attributesOf<AxisAttributes>(node).axis);
}

HostTensor evaluateMulti(const Node &node, std::span<const HostTensor> inputs)
{
    const auto &multi = attributesOf<MultiAttributes>(node);
    std::vector<const HostTensor *> parts;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (isReal(multi, i))
            parts.push_back(&inputs[i]);
    return multi.axis ? joined(node, parts, *multi.axis) : *parts.front();
}

} // namespace sw
