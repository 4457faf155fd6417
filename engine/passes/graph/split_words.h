#pragma once
// Splits u32x4 tensors: each becomes a u32 tensor with a last axis of 4, which every device can compute with. The 4x32
// generators, the conversions from and to u32x4 and the uniform numbers made from it are rewritten to use these words. Every
// node is one rewrite; between two of them, nodes that still want u32x4 read words, which the verifier would not accept.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"
#include "engine/passes/step_rule.h"

#include <span>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> splitWords(const Graph &graph, PassContext &context);

[[nodiscard]] std::span<const StepRule> wordRules();

} // namespace sw
