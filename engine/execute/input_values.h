#pragma once
// The values that a program runs on: given ones, stored parameters, and the rest made from a seed, the same on every device.

#include "engine/execute/executor.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// One tensor per placeholder that is no dimension, in Graph::placeholders order. Errors: a given name that the program does not
// have, or a tensor of another type or shape; all of them together. bf16 may be given as its raw bits (u16), as NumPy has no such
// type. wanted: dimensions of the program; see dimensions.h.
[[nodiscard]] Result<std::vector<HostTensor>> placeholderValues(const Graph &graph, std::span<const NamedTensor> given,
                                                                std::uint64_t seed, const SymbolicBindings &wanted = {});

// What every placeholder holds, the dimensions too, when nothing is given: for the interpreter.
[[nodiscard]] Result<std::vector<HostTensor>> programValues(const Graph &graph, std::uint64_t seed,
                                                            const SymbolicBindings &wanted);

} // namespace sw
