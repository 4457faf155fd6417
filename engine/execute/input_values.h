#pragma once
// The values that a program runs on: given values, stored parameters, and the rest made from a seed, the same on every device.

#include "engine/execute/executor.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sw {

// One tensor per placeholder that is not a dimension, in Graph::placeholders order. Errors: all given names that the program does
// not have, and all tensors of the wrong type or shape. bf16 may be given as raw bits (u16), because NumPy has no such type.
// wanted: dimensions of the program; see dimensions.h.
[[nodiscard]] Result<std::vector<HostTensor>> placeholderValues(const Graph &graph, std::span<const NamedTensor> given,
                                                                std::uint64_t seed, const SymbolicBindings &wanted = {});

// The values of all placeholders, including dimensions, when nothing is given: for the interpreter.
[[nodiscard]] Result<std::vector<HostTensor>> programValues(const Graph &graph, std::uint64_t seed,
                                                            const SymbolicBindings &wanted);

// The value of a placeholder that is given none: its stored value, or random ones from its own seed or this one.
[[nodiscard]] HostTensor ownValue(const Node &placeholder, std::uint64_t seed, const SymbolicBindings &dimensions);
// The tensor as the value of a placeholder. Errors: it has another type or shape.
[[nodiscard]] Result<HostTensor> checkedValue(const Graph &graph, NodeId placeholder, const HostTensor &given,
                                              const SymbolicBindings &dimensions);
// The program has no input of that name.
[[nodiscard]] Diagnostic unknownInput(const Graph &graph, std::string_view name);

} // namespace sw
