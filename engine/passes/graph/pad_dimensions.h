#pragma once
// Gives every value the largest shape that it can have, so that one compilation serves every size. Elements beyond the real
// extents never reach a result: reductions read their identity there, and pad, cat and flip compute the places of elements from
// the real extents. The dimensions become inputs. The inputs and outputs keep their real shapes as attributes, and a run fills
// and crops them to these shapes. Every node is one rewrite; between two of them, values of the largest shape are read by nodes
// that still have the dimension, which the verifier would not accept.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"
#include "engine/passes/step_rule.h"

#include <span>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> padDimensions(const Graph &graph, PassContext &context);

[[nodiscard]] std::span<const StepRule> paddingRules();

} // namespace sw
