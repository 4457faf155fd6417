#pragma once
// Operations on values: numbers alone are computed now, operations with tensors become nodes.

#include "engine/language/tracer.h"

#include <span>

namespace sw::language {

// Applies an elementwise operation of the table.
Result<Value> applyOp(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item);

// Applies an infix operator, except @, which is a library function. Lists and texts support + == != in; lists also support *.
Result<Value> applyBinary(Tracer &tracer, std::string_view symbol, const Operand &left, const Operand &right, const Place &item);
// Applies - + ~ not.
Result<Value> applyUnary(Tracer &tracer, std::string_view symbol, const Operand &operand, const Place &item);

// Whether a value that is known now is true, by Python's rules. A tensor has no truth value.
Result<bool> truthOf(Tracer &tracer, const Operand &operand);

// Applies an operation to integers and dimensions. Returns nothing if an operand is neither, or if the operation is only defined
// on tensors. Errors: a comparison depends on the dimensions.
Result<std::optional<Value>> applyToDimensions(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item);

} // namespace sw::language
