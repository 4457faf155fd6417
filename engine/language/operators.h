#pragma once
// Operations on values: numbers among themselves are computed now, with tensors they become nodes.

#include "engine/language/tracer.h"

#include <span>

namespace sw::language {

// An elementwise operation of the table.
Result<Value> applyOp(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item);

// An infix operator as written, but not @, which is a function of the library. Lists and texts know + == != in; lists also *.
Result<Value> applyBinary(Tracer &tracer, std::string_view symbol, const Operand &left, const Operand &right, const Place &item);
// - + ~ not
Result<Value> applyUnary(Tracer &tracer, std::string_view symbol, const Operand &operand, const Place &item);

// Whether a value that is known now counts as true, as in Python. A tensor does not.
Result<bool> truthOf(Tracer &tracer, const Operand &operand);

// Integers and dimensions. Nothing: one of them is neither, or the operation gives no integer; then it is one of tensors. Errors:
// a comparison that depends on the dimensions.
Result<std::optional<Value>> applyToDimensions(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item);

} // namespace sw::language
