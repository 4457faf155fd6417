#pragma once
// A sum weighted by a softmax, as in attention, in parts: the maximum of a row, the sum of its exponentials, and the sum that
// they weigh are done for one part of the row after the other, while the part is in the cache. Then they are combined, as online
// softmax does: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018; for attention M. Rabe, C. Staats,
// "Self-attention Does Not Need O(n^2) Memory", 2021, and T. Dao et al., "FlashAttention", 2022.

#include "engine/passes/pass_context.h"
#include "engine/passes/step_rule.h"

#include "engine/graph/graph.h"

#include <optional>
#include <span>

namespace sw {

inline constexpr std::string_view kWeightedSumRule = "weighted-sum-in-parts";
[[nodiscard]] std::span<const StepRule> weightedSumRules();

// For processors, where a core's cache has no room for enough whole rows. Sums are added up in another order: not with the option
// strict. Nothing: there is no such sum.
[[nodiscard]] Result<std::optional<Graph>> splitWeightedSums(const Graph &graph, PassContext &context);

} // namespace sw
