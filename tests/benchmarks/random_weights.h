#pragma once
// Weights for models whose own are one number each. Such weights fold away: whole convolutions become sums over windows, and what
// is then measured is not the model.

#include "engine/graph/graph.h"

#include <cstddef>
#include <cstdint>

namespace sw::benchmark {

struct RandomWeights {
    Graph graph;
    std::size_t tensors = 0;   // that were replaced
    std::int64_t elements = 0; // in all of them
};

// Each float constant that the model names and that is one number throughout gets values of its own, constant still. Those of
// rank 2 and more are uniform in +-sqrt(6 / fan-in) (He et al. 2015, which keeps the variance through relu). The others scale,
// shift and divide: they are in 0.25..0.75, so that values do not grow through many residual blocks until a softmax has one
// answer only.
[[nodiscard]] RandomWeights withRandomWeights(const Graph &graph, std::uint64_t seed);

} // namespace sw::benchmark
