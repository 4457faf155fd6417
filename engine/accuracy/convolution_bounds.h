#pragma once
// The error bounds of a convolution that a device may compute from tiles, by Winograd's algorithm: engine/passes/graph/winograd.h
// says where they come from.

#include "engine/accuracy/error_bounds.h"
#include "engine/graph/convolution.h"

namespace sw {

// A factor of the products, and how far it may be off.
struct ConvolutionFactor {
    const HostTensor *value = nullptr;
    const HostTensor *bounds = nullptr; // f64, of the value's shape
};

// Widens the bounds of the sums of all products (f64, of the result's shape) to those of tiles.
void widenToTiles(HostTensor &bounds, const Convolution &convolution, const ConvolutionFactor &windows,
                  const ConvolutionFactor &kernels, ErrorModel model);

} // namespace sw
