#pragma once
// What a program means: its graph as the reference interpreter takes it. Gradients are written out first, for they have no value
// as they stand; no other pass has a part in it. Dimensions become the numbers that the shapes of the inputs say, or else the
// program.

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace sw::test {

// The outputs, for the values of graph.placeholders().
[[nodiscard]] Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs);

} // namespace sw::test
