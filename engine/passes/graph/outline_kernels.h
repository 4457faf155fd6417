#pragma once
// Gives what kernel() asks for nodes of its own.

#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// The nodes between the inputs of a Kernel node and its value are made again for it alone, reading the inputs through Unique
// nodes: no rule of a pass looks through these, so what is inside stays inside, and nothing outside reads it. Errors: an input
// that the value does not come from, and a kernel within another one.
[[nodiscard]] Result<std::optional<Graph>> outlineKernels(const Graph &graph, PassContext &context);

} // namespace sw
