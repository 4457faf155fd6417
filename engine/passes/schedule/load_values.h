#pragma once
// The values that a program computes when it is loaded, and not in each run: parameters and constants are the same in all runs,
// and so is all that depends on nothing else.

#include "engine/passes/schedule/dataflow.h"

#include <vector>

namespace sw {

// By node: nothing that a run is given has a part in it, and no scan, branch, transfer or kernel() request either.
[[nodiscard]] std::vector<bool> equalInAllRuns(const Graph &graph, const Dataflow &flow);

// By node: a value that is the same in each run and that something needs which is not. Its kernel runs once. What only the
// outputs need is computed by the run, however constant it is: a program of parameters alone has all of its kernels there. Bodies
// of scans, branches, copies between devices, and what kernel() asks for belong to the run too.
[[nodiscard]] std::vector<bool> loadValuesOf(const Graph &graph, const Dataflow &flow);

} // namespace sw
