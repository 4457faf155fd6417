#pragma once
// What the shapes and the graph say about a kernel before its loops are chosen: its iteration space, its reductions, and how many
// values it holds at once.

#include "engine/passes/schedule/dataflow.h"
#include "engine/schedule/schedule.h"

namespace sw {

enum class FloatOrder : std::uint8_t { Any, OfTheSource };

// Fills in the kernel's axes (the root's and those of its reductions) and its reductions. Axes of one element are left out.
void findIterationSpace(const Graph &graph, const Dataflow &flow, FloatOrder order, ScheduledKernel &kernel);

// The most scalar values that are alive at once when the members are computed in graph order for one element each. An
// accumulator lives from the first step of its reduction on, like any other value.
[[nodiscard]] std::int64_t registersOf(const Graph &graph, const Dataflow &flow, const std::vector<NodeId> &members);

} // namespace sw
