#pragma once
// What the rules need to know about a node, whatever group it is in.

#include "engine/passes/schedule/dataflow.h"

#include <vector>

namespace sw {

// Extra operations per element that cost less than writing the element and reading it back.
inline constexpr double kCheaperThanMemory = 48;

struct NodeFacts {
    // It is a reduction, or one-to-one elementwise work on one: wherever it is evaluated, the reduction runs.
    bool carriesReduction = false;
    bool carriesContraction = false;
    // It will be in memory, so its readers carry nothing of it: it carries a reduction and is read in another reduction's loop,
    // or it is read in several ways and costs too much to be computed for each.
    bool isBoundary = false;
    // A reduction of products of two values that are both read many times (matrix product, convolution): worth tiling.
    bool isContraction = false;
    std::int64_t contractionBytes = 0; // of the values that the products are made of
    // Index arithmetic: cheap operations on constants, places and dimensions. It is not worth a place in memory.
    bool isOfPlaces = false;
    // Cost of one element: about 1 per cheap vector instruction.
    double cost = 0;
    // The same plus all elementwise work that it is computed from, up to values that are in memory or reduced.
    double chainCost = 0;
    // Of the leaves with a buffer that a value of the load phase is computed from, through views and other values.
    std::int64_t leafBytes = 0;
};

[[nodiscard]] std::vector<NodeFacts> factsOf(const Graph &graph, const Dataflow &flow);

// Floating-point (or integer) operations for one element; for a reduction, for one element that it reads.
[[nodiscard]] std::int64_t operationsOf(const Node &node);

} // namespace sw
