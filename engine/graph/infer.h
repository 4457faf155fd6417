#pragma once
// The type and shape rule of every node kind, in one place for the builder, the verifier and the parser.

#include "engine/graph/graph.h"

namespace sw {

struct InferredType {
    DType dtype = DType::F32;
    Shape shape;
};

// What node.dtype and node.shape must be, given its kind, op, attributes and the nodes it reads; or what is wrong with them.
// The kinds that carry their own type or shape (Placeholder, Buffer, constants, View, Reshape, Expand, Cast, Bitcast) are checked
// against it. `inputs` are node.inputs resolved, in order. The diagnostics carry no place; the caller adds it.
[[nodiscard]] Result<InferredType> inferType(const Node &node, std::span<const Node *const> inputs);

} // namespace sw
