#pragma once
// The integers of a program while it is traced. As in Python they do not wrap: what does not lie between -2^63 and 2^64 - 1, the
// range that i64 and u64 have together, is an error.

#include "engine/language/value.h"

#include <optional>
#include <span>

namespace sw::language {

// Of a bool or an integer.
[[nodiscard]] WideInteger wideOf(const Value &value);
// Nothing: outside of the range.
[[nodiscard]] std::optional<Value> integerValue(WideInteger value);

// What an operation gives for integers, exactly; far outside of the range where it would not even fit into 128 bits. The divisor
// of a division is not 0. Nothing: an operation that is not one of integers without a width.
[[nodiscard]] std::optional<WideInteger> exactResult(Op op, std::span<const WideInteger> operands);

} // namespace sw::language
