#pragma once

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

// Two reductions of the same elements, of which the second one needs the result of the first one (a maximum and its place, a mean
// and a variance, a maximum and a sum of exponentials), read everything twice. Where that is more than a cache keeps, both are
// done for one part after the other, each of which stays in the cache; then the pairs of the parts are combined by the rule of
// pair_rules.h. Sums are then added up in another order: with the option strict, only what rounds nothing is done so.
[[nodiscard]] Result<std::optional<Graph>> splitPairs(const Graph &graph, PassContext &context);

} // namespace sw
