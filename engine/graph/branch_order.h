#pragma once
// The order in which a graph with choices is evaluated.

#include "engine/graph/branches.h"

namespace sw {

// The same nodes, each behind the conditions that decide about it too; the nodes of a scan stay together.
[[nodiscard]] ScanOrder withConditionsFirst(const Graph &graph, ScanOrder order, const BranchMap &branches);

} // namespace sw
