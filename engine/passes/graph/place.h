#pragma once
// Gives every node its device. Afterwards there are no Device and Multi nodes, and only Copy nodes read values from another
// device.
//
// Operations are applied to a value on several devices part by part where they allow it. The collectives of shard_transfers.h
// combine the parts or bring them to their readers. The rules are in resources/docs/devices.md.

#include "engine/passes/pass_context.h"

namespace sw {

// Records one rewrite for each node whose place or parts change. A graph that names no device and has no shards is unchanged.
[[nodiscard]] Result<std::optional<Graph>> place(const Graph &graph, PassContext &context);

} // namespace sw
