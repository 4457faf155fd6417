#pragma once
// What is known about the values of nodes while a graph is being rewritten.

#include "engine/graph/builder.h"

#include <optional>

namespace sw {

// Constants of more elements are not made by folding: they would cost more memory than the computation costs time.
inline constexpr std::int64_t kMaxFoldedElements = std::int64_t{1} << 16;

// The one value of all elements: a constant scalar, or such a one reshaped, expanded, permuted, shrunk or flipped.
[[nodiscard]] std::optional<Scalar> splatOf(const GraphBuilder &builder, NodeId id);

// The value of a node that is a constant, or a constant whose elements were only moved, up to kMaxFoldedElements elements.
[[nodiscard]] std::optional<HostTensor> constantOf(const GraphBuilder &builder, NodeId id);

} // namespace sw
