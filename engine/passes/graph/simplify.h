#pragma once
// Replaces what can be said more simply, by rules that are exact under the semantics of the operations: x * 1 is x, a reshape of
// a reshape is one. Rules that would change a rounding or the sign of a zero are not among them; NaNs count as one value.

#include "engine/graph/graph.h"
#include "engine/passes/graph/rewriter.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> simplify(const Graph &graph, PassContext &context);

// The rows, for the list of rules in the program.
[[nodiscard]] std::span<const GraphRule> arithmeticRules();
[[nodiscard]] std::span<const GraphRule> conversionRules();
[[nodiscard]] std::span<const GraphRule> movementRules();

} // namespace sw
