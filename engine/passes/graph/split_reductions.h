#pragma once
// Splits a reduction of very many elements to very few into two, so that the first has work for every thread: it reduces parts of
// the longest axis side by side, and the second reduces the parts. This reassociates floating-point sums, so it is not done when
// the source order must be kept. f16 and bf16 stay in their wider type between the two.
//
// The interpreter adds one element after another, which costs digits. There, very long sums are split to keep the digits.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> splitReductions(const Graph &graph, PassContext &context);

} // namespace sw
