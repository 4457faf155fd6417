#pragma once
// Gives what is read on several devices a copy on each of them.

#include "engine/passes/pass_context.h"

namespace sw {

// The last word on devices, after all passes that remove and merge nodes: what a node reads on another device than its own is
// copied. place has left little to do. Nothing happens in a graph without Copy nodes.
[[nodiscard]] Result<std::optional<Graph>> settleDevices(const Graph &graph, PassContext &context);

} // namespace sw
