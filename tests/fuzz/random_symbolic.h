#pragma once
// Random graphs whose shapes have dimensions that are known only at run time.

#include "engine/graph/graph.h"

#include <cstdint>
#include <vector>

namespace sw {

struct SymbolicGraph {
    Graph graph;
    SymbolicBindings bindings;      // for one run
    std::vector<HostTensor> inputs; // of the shapes of that run, for the placeholders in their order
};

// Equal seeds give equal graphs; `run` chooses the values of the dimensions and of the inputs. The graph obeys verifyGraph
// (asserts).
[[nodiscard]] SymbolicGraph randomSymbolicGraph(std::uint64_t seed, std::uint64_t run);

} // namespace sw
