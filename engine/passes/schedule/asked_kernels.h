#pragma once
// What kernel() asks of the grouping.

#include "engine/passes/schedule/policy.h"

#include <string>

namespace sw {

// Fills in whether both ends of an edge are in one kernel that is asked for, or which border the edge crosses.
void addKernelWishes(const Graph &graph, const Dataflow &flow, const Read &edge, FusionQuestion &question);

// The error that the kernel cannot contain the node, with the source positions of both.
[[nodiscard]] Diagnostic notOneKernel(const Graph &graph, NodeId kernel, NodeId node, const std::string &reason);

} // namespace sw
