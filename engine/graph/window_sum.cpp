#include "engine/graph/window_sum.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

NodeId behindExpand(const NodeLookup &nodeOf, NodeId id)
{
    return nodeOf(id).kind == NodeKind::Expand ? nodeOf(id).inputs[0] : id;
}

// By how many of `unit` elements an axis moves. Nothing: by no whole number of them.
std::optional<std::int64_t> stepsOf(const Node &view, ConvolutionAxis axis, std::int64_t unit)
{
    if (view.shape[axis] == 1)
        return 1; // it does not move
    const std::int64_t stride = attributesOf<ViewAttributes>(view).strides[axis];
    return stride > 0 && stride % unit == 0 ? std::optional(stride / unit) : std::nullopt;
}

// Reads how the windows lie in their image into `made`. False: they are no windows of an image of that shape.
bool readsWindows(const NodeLookup &nodeOf, NodeId id, WindowSum &made)
{
    const Node &view = nodeOf(id);
    if (view.kind != NodeKind::View || view.shape.rank() != kConvolutionRank)
        return false;
    const auto &attributes = attributesOf<ViewAttributes>(view);
    const Shape &image = nodeOf(view.inputs[0]).shape;
    if (!attributes.mask.empty() || attributes.offset != 0 || image.rank() < 2 || image.isSymbolic())
        return false;
    const std::int64_t height = image[image.rank() - 2];
    const std::int64_t width = image[image.rank() - 1];
    const std::int64_t channel = height * width;
    const auto isAt = [&](ConvolutionAxis axis, std::int64_t stride) {
        return view.shape[axis] == 1 || attributes.strides[axis] == stride;
    };
    const auto isRepeated = [&](ConvolutionAxis axis) { return view.shape[axis] == 1 || attributes.strides[axis] == 0; };
    const std::int64_t channels = made.extentOf(kChannel);
    const std::int64_t ofImage = made.extentOf(kGroup) * channels * channel;
    if (image.elements() != made.extentOf(kImage) * ofImage || !isRepeated(kOutput) || !isAt(kImage, ofImage) ||
        !isAt(kGroup, channels * channel) || !isAt(kChannel, channel))
        return false;
    for (const ConvolutionAxis axis : {kImage, kGroup, kRow, kColumn, kChannel, kKernelRow, kKernelColumn})
        if (view.shape[axis] != made.extentOf(axis))
            return false;
    const auto rowStride = stepsOf(view, kRow, width);
    const auto columnStride = stepsOf(view, kColumn, 1);
    const auto rowDilation = stepsOf(view, kKernelRow, width);
    const auto columnDilation = stepsOf(view, kKernelColumn, 1);
    if (!rowStride || !columnStride || !rowDilation || !columnDilation)
        return false;
    const std::int64_t rows = (made.extentOf(kRow) - 1) * *rowStride + (made.extentOf(kKernelRow) - 1) * *rowDilation + 1;
    const std::int64_t columns =
        (made.extentOf(kColumn) - 1) * *columnStride + (made.extentOf(kKernelColumn) - 1) * *columnDilation + 1;
    if (rows > height || columns > width)
        return false; // a window goes on in the next row
    made.image = view.inputs[0];
    made.hasBorderRest = rows < height || columns < width;
    made.rowStride = *rowStride;
    made.columnStride = *columnStride;
    made.rowDilation = *rowDilation;
    made.columnDilation = *columnDilation;
    return true;
}

bool areKernels(const Node &node, const WindowSum &made)
{
    if (node.shape.rank() != kConvolutionRank)
        return false;
    for (const ConvolutionAxis axis : {kImage, kRow, kColumn})
        if (node.shape[axis] != 1)
            return false;
    return std::ranges::all_of(std::array{kGroup, kOutput, kChannel, kKernelRow, kKernelColumn},
                               [&](ConvolutionAxis axis) { return node.shape[axis] == made.extentOf(axis); });
}

} // namespace

std::optional<WindowSum> windowSumOf(const NodeLookup &nodeOf, const Node &sum)
{
    if (sum.kind != NodeKind::ReduceAxis || sum.op != Op::Add ||
        attributesOf<AxesAttributes>(sum).axes != std::vector<std::size_t>{kChannel, kKernelRow, kKernelColumn})
        return std::nullopt;
    const Node &product = nodeOf(sum.inputs[0]);
    if (product.kind != NodeKind::Binary || product.op != Op::Mul || product.shape.rank() != kConvolutionRank ||
        product.shape.isSymbolic() || product.shape.isEmpty())
        return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
        WindowSum made;
        made.windowFactor = product.inputs[i];
        made.kernelFactor = product.inputs[1 - i];
        made.kernels = behindExpand(nodeOf, made.kernelFactor);
        made.products = product.shape;
        if (readsWindows(nodeOf, behindExpand(nodeOf, made.windowFactor), made) && areKernels(nodeOf(made.kernels), made))
            return made;
    }
    return std::nullopt;
}

} // namespace sw
