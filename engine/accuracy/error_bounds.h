#pragma once
// How far a correct device may be from the reference interpreter, for each element of each output: a running error analysis over
// the reference's values (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3). Exact values stay
// exact (bound 0), transcendentals may be 2 ULP from the f64 value, sums may be reassociated, and products may be fused into
// sums; all these errors propagate through later operations. Where a small difference can change the result completely (a
// comparison of nearly equal values, the integer part of 2.9999999), the bound is infinite. resources/docs/accuracy.md lists the
// rules and their sources.

#include "engine/graph/graph.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// How the errors of the terms of a sum combine.
enum class ErrorModel : std::uint8_t {
    Guaranteed, // they add up: the worst case of all roundings. In a deep network this bound grows far beyond any real error
    Typical,    // as independent errors: the root of the sum of their squares. No guarantee
};

struct BoundOptions {
    bool withTypical = false;
    std::stop_token stop;
};

struct BoundedOutputs {
    std::vector<HostTensor> values;  // computed by the reference interpreter
    std::vector<HostTensor> bounds;  // f64, of the same shapes; infinite: any value is right
    std::vector<HostTensor> typical; // the same for ErrorModel::Typical; empty unless requested
};

// `inputs` are the values of graph.placeholders(). The reference interpreter must accept the graph.
[[nodiscard]] Result<BoundedOutputs> interpretWithBounds(const Graph &graph, std::span<const HostTensor> inputs,
                                                         const BoundOptions &options = {});

// The same for these nodes, of which the graph's outputs need not be; only what they need is computed.
[[nodiscard]] Result<BoundedOutputs> interpretNodesWithBounds(const Graph &graph, std::span<const HostTensor> inputs,
                                                              std::span<const NodeId> nodes, const BoundOptions &options = {});

// The cost of interpretWithBounds: the total number of element operations, and the peak number of bytes.
struct BoundCost {
    double operations = 0;
    double bytes = 0;
};
[[nodiscard]] BoundCost costOfBounds(const Graph &graph, const BoundOptions &options);

} // namespace sw
