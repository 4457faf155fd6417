#pragma once
// Values of types that the graph does not have, as numbers that it computes with, and back.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

// The operand as numbers: as it is, or what a narrow type stands for.
[[nodiscard]] Result<NodeId> widenedInput(NodeCall &call, std::size_t index);

// Numbers as elements of a type. Of a float that is too large, a small float becomes its largest (saturate) or NaN or infinity.
enum class Saturate : std::uint8_t { No, Yes };
[[nodiscard]] Result<OutputValue> converted(NodeCall &call, NodeId numbers, ElementType type, Saturate saturate);

// The type that an attribute names by its number.
[[nodiscard]] Result<ElementType> elementTypeAttribute(NodeCall &call, std::string_view name);

} // namespace sw::onnx
