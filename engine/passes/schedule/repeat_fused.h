#pragma once
// Does what fuse() asks for where several kernels read a value: each of them gets nodes of its own to compute it. So does index
// arithmetic, which is cheaper than memory.

#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// Groups the nodes as the pass group-kernels will, and repeats a value that was asked for in a kernel that would load it; until
// nothing is asked for any more that may be. What must be stored (an output, the source of a lookup) stays so for its other
// readers.
[[nodiscard]] Result<std::optional<Graph>> repeatFused(const Graph &graph, PassContext &context);

} // namespace sw
