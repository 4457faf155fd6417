#pragma once
// The integers of a program at trace time. As in Python they do not wrap: a result below -2^63 or above 2^64 - 1, outside the
// combined range of i64 and u64, is an error.

#include "engine/language/value.h"

#include <optional>
#include <span>

namespace sw::language {

// The value must be a bool or an integer.
[[nodiscard]] WideInteger wideOf(const Value &value);
// Returns nothing if the integer is out of range.
[[nodiscard]] std::optional<Value> integerValue(WideInteger value);

// Computes an operation on integers exactly; a result that does not fit into 128 bits becomes a value far out of range. The
// divisor must not be 0. Returns nothing if the operation is not one on integers without a width.
[[nodiscard]] std::optional<WideInteger> exactResult(Op op, std::span<const WideInteger> operands);

} // namespace sw::language
