#pragma once
// Evaluates the nodes of one scan, step by step.

#include "engine/graph/interpreter.h"
#include "engine/graph/scan.h"

#include <span>

namespace sw {

// members: the nodes of the scan that are needed, in graph order. values: by node; those outside of the scan that the members
// read are there. Afterwards the values of the body are those of the last step. Reports a fault of a node once, with the count of
// all steps. Does not call onValue.
[[nodiscard]] Result<Done> evaluateScan(const Graph &graph, const Scan &scan, std::span<const NodeId> members,
                                        std::span<HostTensor> values, const InterpretOptions &options);

} // namespace sw
