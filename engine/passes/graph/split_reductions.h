#pragma once
// Splits reductions of very many elements to very few into two, so that the first of them has work for every thread: parts of the
// longest axis are reduced side by side, and then the parts. Floating-point sums are reassociated, so not when the source order
// is to be kept. f16 and bf16 stay in their wider type between the two.
//
// The interpreter adds one element after the other, which costs digits: there, very long sums are split for their sake.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> splitReductions(const Graph &graph, PassContext &context);

} // namespace sw
