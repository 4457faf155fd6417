#pragma once
// The graph that computes a convolution from tiles of 2 x 2 results: see winograd.h.

#include "engine/graph/builder.h"
#include "engine/graph/convolution.h"

#include <optional>

namespace sw {

inline constexpr int kTransformedElements = 16; // of a tile: 4 x 4 products give 2 x 2 results

// Tiles side by side: so many rows of them, and so many columns, which divide those of a convolution.
struct TilePart {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    bool operator==(const TilePart &) const = default;
};

// The value of the sum that is the convolution, of its shape, from tiles. The tiles of a part, or, without one, those of all
// images, are the columns of a product of matrices; parts are the first axis of all that is computed, so that a kernel can take
// all steps for one part and then for the next.
[[nodiscard]] Result<NodeId> tiledConvolution(GraphBuilder &builder, const Origin &origin, const Convolution &convolution,
                                              const std::optional<TilePart> &part, const Node &sum);

} // namespace sw
