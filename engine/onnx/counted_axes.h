#pragma once
// Values of which only the first elements along an axis count, because an operator such as NonZero finds out while it runs how
// many there are. They have their largest shape. An operator that treats the elements of that axis one by one, each for itself,
// gives such a value again; to any other, what lies behind the count would be wrong input.

#include "engine/onnx/operators.h"

#include <optional>

namespace sw::onnx {

// Whether an operand of the node is counted.
[[nodiscard]] bool isAnyCounted(const std::vector<Value *> &operands);
// Operands for the node, with 0 behind the count of indices: what lies there must not be out of range.
[[nodiscard]] Result<std::vector<Value *>> withZerosBehindCounts(const NodeTools &tools, const NodePlace &place,
                                                                 std::vector<Value *> operands);
// The axis of each output that is counted, for a node that was made of counted operands; of an output that is not counted,
// nothing. Errors (Code::Unsupported): the operator does more with the axis than to go through it.
[[nodiscard]] Result<std::vector<std::optional<CountedAxis>>> countedOutputs(NodeCall &call, const Outputs &outputs);

} // namespace sw::onnx
