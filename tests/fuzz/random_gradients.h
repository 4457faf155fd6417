#pragma once
// Random graphs with gradients: of a first output with respect to all the inputs of floats.

#include "tests/fuzz/random_graph.h"

#include <optional>

namespace sw {

// Not 0, of both signs, all different.
[[nodiscard]] HostTensor gradientWeights(DType dtype, const Shape &shape);

// The graph with gradient nodes for outputs, one per input of floats, in order: of the first output, which is of floats, for the
// weights. Nothing when there is no such input.
[[nodiscard]] std::optional<Graph> gradientsOf(const Graph &graph, const HostTensor &weights);

// The graph with gradients besides its first output, all written out: what a compiler meets in training. Nothing when the output
// is not of floats, there is no input of floats, or bits are on the way.
[[nodiscard]] std::optional<RandomGraph> withGradients(const RandomGraph &random);

} // namespace sw
