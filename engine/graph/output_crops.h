#pragma once
// Outputs whose size the run decides. A value is computed at its largest size, and a count, which is computed too, says how many
// elements of an axis are real. The host cuts off the rest when the run ends.

#include "engine/graph/graph.h"

#include <vector>

namespace sw {

// What has to be known of a graph for its results: `nodes` begins with the outputs in their order; behind them may stand counts.
struct CountedOutputs {
    std::vector<NodeId> nodes;
    std::vector<OutputCrop> crops; // indices are those of `nodes`
    [[nodiscard]] bool isCounted() const { return !crops.empty(); }
};

// Of Crop nodes, or of what the sink says instead.
[[nodiscard]] CountedOutputs countedOutputsOf(const Graph &graph);

// values: of the nodes. Gives those of the program's outputs: cut to their counts, and without the counts. A count below 0 is 0,
// one above the extent is the extent.
[[nodiscard]] std::vector<HostTensor> croppedOutputs(const CountedOutputs &outputs, std::vector<HostTensor> values);
// The same for tensors of these values' shapes, such as bounds of their errors; the counts are taken from the values.
[[nodiscard]] std::vector<HostTensor> croppedLike(const CountedOutputs &outputs, std::vector<HostTensor> others,
                                                  const std::vector<HostTensor> &values);

// The graph with counts as outputs behind the others, named "y.count", and with a sink that says what they count. Only its sink
// reads no Crop any more.
[[nodiscard]] Graph withCountsAsOutputs(const Graph &graph);

} // namespace sw
