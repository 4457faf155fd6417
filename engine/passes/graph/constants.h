#pragma once
// What is known about the values of nodes while a graph is being rewritten.

#include "engine/graph/builder.h"

#include <optional>

namespace sw {

// Folding makes no constant with more elements: its memory would cost more than the time that folding saves.
inline constexpr std::int64_t kMaxFoldedElements = std::int64_t{1} << 16;

// The single value of all elements, if the node is a constant scalar, possibly reshaped, expanded, permuted, shrunk or flipped.
[[nodiscard]] std::optional<Scalar> splatOf(const GraphBuilder &builder, NodeId id);

// Whether constantOf() tells the value, which takes long for many elements.
[[nodiscard]] bool isConstant(const GraphBuilder &builder, NodeId id);

// The value of a node that is a constant, or a constant whose elements were only moved, up to kMaxFoldedElements elements.
[[nodiscard]] std::optional<HostTensor> constantOf(const GraphBuilder &builder, NodeId id);

// The same where elementwise operations and casts of few constants lie in between, which folding has not come to.
[[nodiscard]] std::optional<HostTensor> computedConstantOf(const GraphBuilder &builder, NodeId id);

} // namespace sw
