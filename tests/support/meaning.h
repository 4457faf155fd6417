#pragma once
// What a program means: its graph as the reference interpreter runs it. Gradients are expanded first, since they have no value
// of their own; no other pass takes part. Dimensions get their sizes from the shapes of the inputs, or else from the
// program (engine/execute/reference_graph.h).

#include "engine/execute/compare.h"
#include "engine/execute/output_limits.h"

#include <span>
#include <vector>

namespace sw::test {

// The outputs for these values of graph.placeholders().
[[nodiscard]] Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs);

// The same outputs, and how far a device's results may differ from them.
struct Meaning {
    std::vector<HostTensor> values;
    OutputLimits limits;

    [[nodiscard]] Comparison compared(std::size_t output, const HostTensor &actual) const;
};
[[nodiscard]] Result<Meaning> meaningAndLimitsOf(const GraphPtr &graph, std::span<const HostTensor> inputs);

} // namespace sw::test
