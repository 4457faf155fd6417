#pragma once
// How far a correct device may be from the reference interpreter, for each element of each output: a running error analysis over
// the values of the reference (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3). What is exact
// stays exact (bound 0); transcendentals may be 2 ULP from the f64 value, sums may be reassociated, products may be fused into
// sums; all of it is carried through the operations that follow. Where a small difference changes the result altogether (a
// comparison of nearly equal values, the integer part of 2.9999999) the bound is infinite. resources/docs/accuracy.md lists the
// rules and their sources.

#include "engine/graph/graph.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// How the errors of the terms of a sum combine.
enum class ErrorModel : std::uint8_t {
    Guaranteed, // they add up: no rounding is worse. In a deep network that bound grows far beyond any error that occurs
    Typical,    // as errors that do not depend on each other: the root of the sum of their squares. No guarantee
};

struct BoundOptions {
    bool withTypical = false;
    std::stop_token stop;
};

struct BoundedOutputs {
    std::vector<HostTensor> values;  // by the reference interpreter
    std::vector<HostTensor> bounds;  // f64, of the same shapes; infinite: anything is right
    std::vector<HostTensor> typical; // the same by ErrorModel::Typical; empty unless it is asked for
};

// For the values of graph.placeholders(). The graph is one that the reference interpreter takes.
[[nodiscard]] Result<BoundedOutputs> interpretWithBounds(const Graph &graph, std::span<const HostTensor> inputs,
                                                         const BoundOptions &options = {});

// What interpretWithBounds costs: element operations in all, and bytes at the time when it holds the most.
struct BoundCost {
    double operations = 0;
    double bytes = 0;
};
[[nodiscard]] BoundCost costOfBounds(const Graph &graph, const BoundOptions &options);

} // namespace sw
