#pragma once
// Gives its own nodes to each kernel that kernel() asks for.

#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// Copies the nodes between the inputs of a Kernel node and its value for that kernel alone. The copies read the inputs through
// Unique nodes, which no rule looks through, so the kernel's nodes stay inside it and nothing outside reads them. Errors: an
// input that the value does not depend on, and a kernel inside another kernel.
[[nodiscard]] Result<std::optional<Graph>> outlineKernels(const Graph &graph, PassContext &context);

} // namespace sw
