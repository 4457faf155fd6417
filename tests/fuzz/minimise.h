#pragma once
// Makes a failing random graph small enough to read, and names the pass that went wrong.

#include "engine/pipeline/runner.h"
#include "tests/fuzz/random_graph.h"

#include <functional>
#include <span>
#include <string>

namespace sw {

using StillFails = std::function<bool(const RandomGraph &)>;

// A smaller graph that fails as well: one output, ended earlier where that is enough, and values that need not be computed given
// as inputs instead. The same graph when no smaller one fails. Each round tries every node once.
[[nodiscard]] RandomGraph minimised(RandomGraph failing, const StillFails &fails);

// The first pass whose result means something else than the graph by the interpreters, of the graph and of lowered kernels, and
// how it differs. What lies between these stages shows in the pass that makes the kernels. Empty: none differs, the fault is in
// what the device makes of them.
[[nodiscard]] std::string firstDifferingPass(const RandomGraph &random, std::span<const PassInfo> passes,
                                             const CompileTarget &target);

} // namespace sw
