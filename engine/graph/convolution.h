#pragma once
// Finds convolutions among sums of products: those by 3 x 3 kernels, which other algorithms may compute, with other roundings.

#include "engine/graph/graph.h"

#include <functional>
#include <optional>

namespace sw {

// The axes of the products of a convolution, before they are summed over the last three.
enum ConvolutionAxis : std::uint8_t {
    kImage,
    kGroup,
    kOutput,
    kRow,
    kColumn,
    kChannel,
    kKernelRow,
    kKernelColumn,
    kConvolutionRank
};
inline constexpr std::int64_t kConvolutionWindow = 3;

// Sums over channels and 3 x 3 windows that move by 1, of the products of an image and kernels.
struct Convolution {
    NodeId image;        // [.., rows + 2, columns + 2], row by row: images, groups and channels in front, the border included
    NodeId kernels;      // [1, groups, outputs, 1, 1, channels, 3, 3]
    NodeId windowFactor; // what is multiplied: the image's windows, perhaps repeated for each output,
    NodeId kernelFactor; // and the kernels, perhaps repeated for each image, row and column
    std::int64_t images = 1;
    std::int64_t groups = 1;
    std::int64_t outputs = 1;  // of a group
    std::int64_t channels = 1; // of a group
    std::int64_t rows = 1;     // of a result
    std::int64_t columns = 1;
    // Of 2 x 2 results; the last ones may reach beyond the result.
    [[nodiscard]] std::int64_t tileRows() const { return (rows + 1) / 2; }
    [[nodiscard]] std::int64_t tileColumns() const { return (columns + 1) / 2; }
};

using NodeLookup = std::function<const Node &(NodeId)>;
// Nothing: the node is no sum of such products.
[[nodiscard]] std::optional<Convolution> convolutionOf(const NodeLookup &nodeOf, const Node &sum);

} // namespace sw
