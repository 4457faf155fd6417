#pragma once
// Gives a value that is read on several devices a copy on each of them.

#include "engine/passes/pass_context.h"

namespace sw {

// Runs after all passes that remove and merge nodes. It copies each value that a node reads from a device other than its own. The
// pass `place` has left little to do. A graph without Copy nodes is unchanged.
[[nodiscard]] Result<std::optional<Graph>> settleDevices(const Graph &graph, PassContext &context);

} // namespace sw
