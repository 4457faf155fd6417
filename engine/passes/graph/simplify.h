#pragma once
// Replaces nodes by simpler ones, with rules that are exact under the semantics of the operations: x * 1 is x, a reshape of a
// reshape is one reshape. No rule changes a rounding or the sign of a zero; NaNs count as one value.

#include "engine/graph/graph.h"
#include "engine/passes/graph/rewriter.h"

#include <array>
#include <optional>
#include <span>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> simplify(const Graph &graph, PassContext &context);

// The rows, also for the program's list of rules: all of them, table by table.
[[nodiscard]] std::array<std::span<const GraphRule>, 5> simplifyRules();
[[nodiscard]] std::span<const GraphRule> arithmeticRules();
[[nodiscard]] std::span<const GraphRule> conversionRules();
[[nodiscard]] std::span<const GraphRule> movementRules();
[[nodiscard]] std::span<const GraphRule> choiceRules();
[[nodiscard]] std::span<const GraphRule> extremeRules();

} // namespace sw
