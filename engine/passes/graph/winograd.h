#pragma once
// Computes convolutions by 3 x 3 kernels from tiles of 2 x 2 results, with 16 products per tile and channel in place of 36:
// Winograd's algorithm F(2x2, 3x3), after Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. The graph
// shows its steps: B d, what the 4 x 4 image elements of a tile become, by sums and differences; U V, the sums over the channels
// of the products with the kernels G g, which are computed before all runs where they can; A m, what those become in the results,
// by sums and differences again. Each matrix is the Kronecker product of the one-dimensional algorithm's with itself. Where a
// core's cache does not hold the products of all tiles, they are computed in parts that it holds, as stages of one kernel.
//
// Rounding. Let S be the sum of |g| over the kernels of a result's channel, D the largest |d| in the tile, C the channels, and u
// the unit roundoff (2^-24 in f32). A result is off by at most 16 (C + 20) u S D, since rows of B hold two terms in each
// direction
// (|v| <= 4 D), and |A| |G| has entries of at most 2 in each direction. Adding the 9 C products one by one may be off by 9 C u S
// D. An element that is infinite or NaN reaches all results of its tiles, also those whose windows do not hold it. Where the
// source order of floating-point operations is to be kept (strict), the pass does nothing, nor in a program on several devices,
// where its matrices would be on one of them.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> winograd(const Graph &graph, PassContext &context);

} // namespace sw
