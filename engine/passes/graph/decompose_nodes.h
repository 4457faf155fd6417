#pragma once
// Rewrites each node that stands for a formula (threefry, scatter, wmma, contract ...) into the simpler nodes
// that kernels are made of.

#include "engine/passes/graph/rewriter.h"
#include "engine/passes/step_rule.h"

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> decomposeNodes(const Graph &graph, PassContext &context);

// The rows, also for the program's list of rules.
[[nodiscard]] std::span<const GraphRule> vectorNodeRules();  // buffer_view, valid, gep, vectorize, saturating casts
[[nodiscard]] std::span<const GraphRule> productNodeRules(); // wmma, contract
[[nodiscard]] std::span<const GraphRule> assignRules();
[[nodiscard]] std::span<const GraphRule> customRules();
[[nodiscard]] std::span<const GraphRule> placedCustomRules(); // for programs on several devices
[[nodiscard]] std::span<const GraphRule> catRules();
[[nodiscard]] std::span<const GraphRule> scatterRules();
[[nodiscard]] std::span<const GraphRule> randomNodeRules(); // threefry 2x32
[[nodiscard]] std::span<const StepRule> outputRules();      // crop

} // namespace sw
