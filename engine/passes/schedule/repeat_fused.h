#pragma once
// Carries out fuse() where several kernels read a value: each of them gets its own nodes to compute it. The same goes for index
// arithmetic, which is cheaper than memory, and for casts of factors that tensor instructions multiply as they are.

#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// Groups the nodes as the pass group-kernels will, and repeats a requested value in each kernel that would load it, until no
// request that can be met is left. A value that must be stored (an output, the source of a lookup) stays stored for its other
// readers.
[[nodiscard]] Result<std::optional<Graph>> repeatFused(const Graph &graph, PassContext &context);

} // namespace sw
