#pragma once
// Evaluates the nodes of one scan, step by step.

#include "engine/graph/branches.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/scan.h"

#include <span>

namespace sw {

// By node. The values that the nodes of the scan read outside of it are there.
struct ScanValues {
    std::span<HostTensor> values;
    std::vector<bool> &isEvaluated; // in the last step
    const BranchMap &branches;
};

// members: the nodes of the scan that are needed, in graph order. Evaluates, in each step, those whose branch is chosen.
// Afterwards the values of the body are those of the last step. Reports a fault of a node once, with the count of all steps. Does
// not call onValue.
[[nodiscard]] Result<Done> evaluateScan(const Graph &graph, const Scan &scan, std::span<const NodeId> members, ScanValues values,
                                        const InterpretOptions &options);

} // namespace sw
