#pragma once
// Gives everything its device: afterwards there are no Device and Multi nodes, and only Copy nodes read what is on another
// device.
//
// One value on several devices goes through operations part by part as far as they allow it; what combines the parts, or brings
// them to where they are read, are the collectives of shard_transfers.h. The rules are in resources/docs/devices.md.

#include "engine/passes/pass_context.h"

namespace sw {

// One rewrite for each node whose place or parts change. Nothing happens in a graph that names no device and has no shards.
[[nodiscard]] Result<std::optional<Graph>> place(const Graph &graph, PassContext &context);

} // namespace sw
