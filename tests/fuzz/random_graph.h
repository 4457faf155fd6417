#pragma once
// Random graphs for differential tests: every node kind, every operation, every element type, shapes of rank 0 to 4 with extents
// 0, 1 and others that are no powers of two. The same options give the same graph on every machine.

#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

struct RandomGraphOptions {
    std::uint64_t seed = 0;
    std::size_t steps = 12;           // values made one after the other; broadcasting and casts add nodes
    std::vector<DType> dtypes;        // that values may have; empty: all
    std::vector<NodeKind> kinds;      // that steps may make; empty: all but Sink
    std::vector<Op> ops;              // for elementwise nodes and reductions; empty: all
    std::int64_t maxElements = 512;   // of any value
    bool specialValues = false;       // NaN, infinities, -0 and subnormals among the inputs
    std::uint32_t patternPercent = 0; // of the steps: what programs are made of, matrix products, normalised rows, windows
    std::vector<std::string> devices; // that Device and Copy name; empty: only the program's own
    bool indexFaults = false;         // some indices of Gather and Index are out of range
};

struct RandomGraph {
    Graph graph;
    std::vector<HostTensor> inputs; // for the placeholders, in their order
};

// The graph obeys verifyGraph (asserts).
[[nodiscard]] RandomGraph randomGraph(const RandomGraphOptions &options);

} // namespace sw
