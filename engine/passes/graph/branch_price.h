#pragma once
// What it costs to compute both branches of a choice, and what to compute only the one that is chosen. Estimated from the graph
// alone, before it is known which nodes share a kernel.

#include "engine/graph/branches.h"
#include "engine/schedule/estimate.h"

#include <map>
#include <string>

namespace sw {

// Of all choices with one condition together. Times in nanoseconds.
struct BranchPrice {
    double whenTrue = 0;   // what is needed only where the condition holds
    double whenFalse = 0;  // likewise
    double asking = 0;     // the host reads the condition, and what is chosen is copied
    bool mayFault = false; // one of the branches looks elements up, at places that are not all known

    // On average, where one is chosen as often as the other.
    [[nodiscard]] double saved() const { return (whenTrue + whenFalse) / 2; }
    // Where an index may be out of range, what is not chosen must not be computed: nobody would expect the error.
    [[nodiscard]] bool isWorthSkipping() const { return mayFault || saved() > asking; }
};

// By condition.
[[nodiscard]] std::map<NodeId, BranchPrice> branchPricesOf(const Graph &graph, const RooflineFigures &figures);

// "its branches take 5200 ns and 40 ns: computing only the one that is chosen saves 2620 ns on average and costs 1100 ns"
[[nodiscard]] std::string toText(const BranchPrice &price);

} // namespace sw
