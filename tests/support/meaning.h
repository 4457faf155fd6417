#pragma once
// What a program means: its graph as the reference interpreter takes it. Gradients are written out first, for they have no value
// as they stand; no other pass has a part in it. Dimensions become the numbers that the shapes of the inputs say, or else the
// program (engine/execute/reference_graph.h).

#include "engine/execute/compare.h"
#include "engine/execute/output_limits.h"

#include <span>
#include <vector>

namespace sw::test {

// The outputs, for the values of graph.placeholders().
[[nodiscard]] Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs);

// The same, and how far a device's results may be from them.
struct Meaning {
    std::vector<HostTensor> values;
    OutputLimits limits;

    [[nodiscard]] Comparison compared(std::size_t output, const HostTensor &actual) const;
};
[[nodiscard]] Result<Meaning> meaningAndLimitsOf(const GraphPtr &graph, std::span<const HostTensor> inputs);

} // namespace sw::test
