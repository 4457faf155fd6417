#pragma once
// Several graphs side by side in one, so that a device compiles and runs many with one program.

#include "tests/fuzz/random_graph.h"

#include <span>
#include <vector>

namespace sw {

struct MergedGraphs {
    RandomGraph all;
    std::vector<std::size_t> firstOutputs; // by graph: its first output among all
};

[[nodiscard]] MergedGraphs mergedGraphs(std::span<const RandomGraph> graphs);

} // namespace sw
