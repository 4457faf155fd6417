#pragma once
// Finds convolutions of any window, stride, dilation and number of groups among sums of products.

#include "engine/graph/convolution.h"

#include <cstdint>
#include <optional>

namespace sw {

// Sums over channels and windows of the products of an image and kernels, with the axes of ConvolutionAxis.
struct WindowSum {
    NodeId image;        // [.., rows, columns], the border included, row by row: images, groups and channels in front
    NodeId kernels;      // [1, groups, outputs, 1, 1, channels, window rows, window columns]
    NodeId windowFactor; // what is multiplied: the image's windows, perhaps repeated for each output,
    NodeId kernelFactor; // and the kernels, perhaps repeated for each image, row and column
    Shape products;      // before they are summed
    // How many rows and columns of the image a window moves, and its own elements are apart.
    std::int64_t rowStride = 1;
    std::int64_t columnStride = 1;
    std::int64_t rowDilation = 1;
    std::int64_t columnDilation = 1;
    bool hasBorderRest = false; // rows or columns at the end of the image are in no window

    [[nodiscard]] std::int64_t extentOf(ConvolutionAxis axis) const { return products[axis]; }
};

// Nothing: the node is no sum of such products, or reads its image otherwise.
[[nodiscard]] std::optional<WindowSum> windowSumOf(const NodeLookup &nodeOf, const Node &sum);

} // namespace sw
