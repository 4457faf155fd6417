#pragma once
// The gradient of a scan: a scan that takes the same steps backwards. It reads what each step began with, which the forward scan
// collects for it, computes the step again, and walks from what the step gave back to what it read. It carries the adjoints of
// the carried values from step to step, and adds up those of values from outside of the body.

#include "engine/graph/scan.h"
#include "engine/passes/graph/backward_sweep.h"

#include <span>
#include <vector>

namespace sw {

// What a walk knows when it comes to a scan.
struct ScanWalk {
    GraphBuilder &builder;
    BackwardScopes &scopes;
    const std::vector<std::uint32_t> &originals;
    PassContext &context;
    const ScanMap &scans;
    const std::vector<bool> &isActive; // by node, as far as the walk goes
    std::span<const NodeId> wanted;    // whose adjoints must be whole
};

// given: results of the scan, with their adjoints. Returns what they contribute to the adjoints of the values outside of the body
// that the scan reads. Errors: those of rules for the nodes of the body.
[[nodiscard]] Result<std::vector<AdjointSeed>> reverseScan(const ScanWalk &walk, std::uint32_t scan,
                                                           std::span<const AdjointSeed> given, const Origin &origin);

// What the rewrite is called and does; these rows have no rule of their own.
[[nodiscard]] std::span<const GradientRule> scanGradients();

} // namespace sw
