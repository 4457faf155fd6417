#pragma once
// The type and shape rule of every node kind, shared by the builder, the verifier and the parser.

#include "engine/graph/graph.h"

namespace sw {

struct InferredType {
    DType dtype = DType::F32;
    Shape shape;
};

// Computes what node.dtype and node.shape must be from its kind, op, attributes and inputs, or says what is wrong with them.
// Kinds that carry their own type or shape (Placeholder, Buffer, constants, View, Reshape, Expand, Cast, Bitcast) are checked
// against it. `inputs` are node.inputs resolved, in order. The diagnostics have no place; the caller adds it.
[[nodiscard]] Result<InferredType> inferType(const Node &node, std::span<const Node *const> inputs);

} // namespace sw
