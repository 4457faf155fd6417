#pragma once
// Lays constants and parameters out as the register tiles of contractions read them. A matrix of weights has a row (or a column)
// per result, and a tile takes the same step of many rows at once: the kernel would have to copy them into panels in each run.
// They are put into panels once: [rows, steps] or [steps, rows] becomes [rows / lanes, steps, lanes], and views give it its shape
// back. A constant is a constant of another order then; a parameter is given, and stored as panels when the program is loaded.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// Of CPUs, and of one device: several might want panels of different widths. Values do not change, and nothing is reassociated.
[[nodiscard]] Result<std::optional<Graph>> layOutConstants(const Graph &graph, PassContext &context);

} // namespace sw
