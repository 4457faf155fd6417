#include "engine/graph/convolution.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Whether the node has the product's extents along these axes, and 1 along the others.
bool hasExtents(const Node &node, const Shape &product, const std::vector<std::size_t> &axes)
{
    bool has = node.shape.rank() == kConvolutionRank;
    for (std::size_t axis = 0; has && axis < kConvolutionRank; ++axis)
        has = node.shape[axis] == (std::ranges::find(axes, axis) != axes.end() ? product[axis] : 1);
    return has;
}

// Whether the node is a view of all windows of an image that lies in memory row by row, with a border of one element. It may
// repeat them for each output.
bool readsWindows(const NodeLookup &nodeOf, NodeId windows, const Shape &product, const Convolution &made)
{
    const Node &node = nodeOf(windows);
    if (node.kind != NodeKind::View || node.shape.rank() != kConvolutionRank)
        return false;
    const auto &view = attributesOf<ViewAttributes>(node);
    const Shape &image = nodeOf(node.inputs[0]).shape;
    if (!view.mask.empty() || view.offset != 0 || image.rank() < 2 || image.isSymbolic())
        return false;
    const std::int64_t row = image[image.rank() - 1];
    const std::int64_t channel = row * image[image.rank() - 2];
    const std::int64_t group = made.channels * channel;
    if (row != made.columns + kConvolutionWindow - 1 || channel != row * (made.rows + kConvolutionWindow - 1) ||
        image.elements() != made.images * made.groups * group)
        return false;
    const std::array<std::int64_t, kConvolutionRank> strides{made.groups * group, group, 0, row, 1, channel, row, 1};
    for (std::size_t axis = 0; axis < kConvolutionRank; ++axis)
        if (node.shape[axis] != 1 && (node.shape[axis] != product[axis] || view.strides[axis] != strides.at(axis)))
            return false;
    return std::ranges::all_of(std::array{kImage, kGroup, kRow, kColumn, kChannel, kKernelRow, kKernelColumn},
                               [&](ConvolutionAxis axis) { return node.shape[axis] == product[axis]; });
}

} // namespace

std::optional<Convolution> convolutionOf(const NodeLookup &nodeOf, const Node &sum)
{
    if (sum.kind != NodeKind::ReduceAxis || sum.op != Op::Add || (sum.dtype != DType::F32 && sum.dtype != DType::F64) ||
        attributesOf<AxesAttributes>(sum).axes != std::vector<std::size_t>{kChannel, kKernelRow, kKernelColumn})
        return std::nullopt;
    const Node &product = nodeOf(sum.inputs[0]);
    const Shape &shape = product.shape;
    if (product.kind != NodeKind::Binary || product.op != Op::Mul || shape.rank() != kConvolutionRank || shape.isSymbolic() ||
        shape.isEmpty() || shape[kKernelRow] != kConvolutionWindow || shape[kKernelColumn] != kConvolutionWindow)
        return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
        Convolution made{.image = {},
                         .kernels = product.inputs[1 - i],
                         .windowFactor = product.inputs[i],
                         .kernelFactor = product.inputs[1 - i],
                         .images = shape[kImage],
                         .groups = shape[kGroup],
                         .outputs = shape[kOutput],
                         .channels = shape[kChannel],
                         .rows = shape[kRow],
                         .columns = shape[kColumn]};
        NodeId windows = product.inputs[i];
        for (NodeId *operand : {&windows, &made.kernels}) {
            if (nodeOf(*operand).kind == NodeKind::Expand)
                *operand = nodeOf(*operand).inputs[0];
        }
        if (!readsWindows(nodeOf, windows, shape, made) ||
            !hasExtents(nodeOf(made.kernels), shape, {kGroup, kOutput, kChannel, kKernelRow, kKernelColumn}))
            continue;
        made.image = nodeOf(windows).inputs[0];
        return made;
    }
    return std::nullopt;
}

} // namespace sw
