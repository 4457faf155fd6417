#pragma once
// The error rule of each operation, for a single element.

#include "engine/ops/op.h"

#include <limits>
#include <span>

namespace sw {

inline constexpr double kAnything = std::numeric_limits<double>::infinity();

// A value of the reference, and how far a device may be from it.
struct Approximate {
    Scalar value;
    double error = 0;
};

// The distance from 1 to the next value of a float type, and its largest and smallest positive values.
struct FloatLimits {
    double epsilon = 0;
    double largest = 0;
    double smallest = 0;
};
[[nodiscard]] FloatLimits limitsOf(DType dtype);

// The error of the operation's result, given its operands' errors. mayFuse: an operand is a product that a device may fuse into
// this sum or difference without rounding it.
[[nodiscard]] double errorOf(Op op, const Scalar &result, std::span<const Approximate> operands, bool mayFuse);

// The error of a cast or bitcast.
[[nodiscard]] double errorOfCast(const Scalar &result, const Approximate &operand);
[[nodiscard]] double errorOfBitcast(const Scalar &result, const Approximate &operand);

// Adds the rounding of a result whose type and error before rounding are given: one more rounding if there is any error, and an
// infinite bound near overflow.
[[nodiscard]] double rounded(const Scalar &result, double error);

} // namespace sw
