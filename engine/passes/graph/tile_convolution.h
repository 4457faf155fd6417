#pragma once
// The graph that computes a convolution from tiles of 2 x 2 results: see winograd.h.

#include "engine/graph/builder.h"
#include "engine/graph/convolution.h"

namespace sw {

inline constexpr int kTransformedElements = 16; // of a tile: 4 x 4 products give 2 x 2 results
inline constexpr int kTileResults = 4;

// The value of the sum that is the convolution, of its shape, from tiles.
[[nodiscard]] Result<NodeId> tiledConvolution(GraphBuilder &builder, const Origin &origin, const Convolution &convolution,
                                              const Node &sum);

} // namespace sw
