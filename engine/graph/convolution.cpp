#include "engine/graph/convolution.h"

#include "engine/graph/window_sum.h"

namespace sw {

std::optional<Convolution> convolutionOf(const NodeLookup &nodeOf, const Node &sum)
{
    if (sum.dtype != DType::F32 && sum.dtype != DType::F64)
        return std::nullopt;
    const std::optional<WindowSum> found = windowSumOf(nodeOf, sum);
    if (!found || found->hasBorderRest || found->extentOf(kKernelRow) != kConvolutionWindow ||
        found->extentOf(kKernelColumn) != kConvolutionWindow || found->rowStride != 1 || found->columnStride != 1 ||
        found->rowDilation != 1 || found->columnDilation != 1)
        return std::nullopt;
    return Convolution{.image = found->image,
                       .kernels = found->kernels,
                       .windowFactor = found->windowFactor,
                       .kernelFactor = found->kernelFactor,
                       .images = found->extentOf(kImage),
                       .groups = found->extentOf(kGroup),
                       .outputs = found->extentOf(kOutput),
                       .channels = found->extentOf(kChannel),
                       .rows = found->extentOf(kRow),
                       .columns = found->extentOf(kColumn)};
}

} // namespace sw
