#pragma once
// Values of types that the graph does not have, as numbers that it computes with, and back.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// The operand as numbers: as it is, or what a narrow type stands for.
[[nodiscard]] Result<NodeId> widenedInput(NodeCall &call, std::size_t index);

// Numbers as elements of a type. The node's attribute saturate says whether what is too large becomes the largest small float, or
// NaN or infinity; round_mode which power of two is taken for float8e8m0.
[[nodiscard]] Result<OutputValue> converted(NodeCall &call, NodeId numbers, ElementType type);

// The type that an attribute names by its number.
[[nodiscard]] Result<ElementType> elementTypeAttribute(NodeCall &call, std::string_view name);

} // namespace sw::onnx
