#pragma once
// The reference meaning of the operations, as templates over the C++ type that computes them. The rows of ops.def and the inner
// loops of both interpreters use them.

#include "engine/types/scalar.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace sw::eval {

template <class T>
T valueOf(const Scalar &scalar)
{
    if constexpr (std::same_as<T, bool>)
        return scalar.asBool();
    else if constexpr (std::floating_point<T>)
        return static_cast<T>(scalar.asDouble());
    else
        return static_cast<T>(scalar.asInt());
}

template <class T>
Scalar scalarOf(DType dtype, T value)
{
    if constexpr (std::same_as<T, bool>)
        return Scalar::ofBool(value);
    else if constexpr (std::floating_point<T>)
        return Scalar::of(dtype, static_cast<double>(value));
    else if constexpr (std::is_signed_v<T>)
        return Scalar::of(dtype, static_cast<std::int64_t>(value));
    else
        return Scalar::of(dtype, static_cast<std::uint64_t>(value));
}

// Calls body with a value of the C++ type that computes dtype (float for 8-bit and 16-bit floats).
template <class Body>
Scalar withType(DType dtype, Body body)
{
    switch (dtype) {
    case DType::Bool:
        return body(bool{});
    case DType::U8:
        return body(std::uint8_t{});
    case DType::I8:
        return body(std::int8_t{});
    case DType::U16:
        return body(std::uint16_t{});
    case DType::I16:
        return body(std::int16_t{});
    case DType::I32:
        return body(std::int32_t{});
    case DType::U32:
        return body(std::uint32_t{});
    case DType::I64:
        return body(std::int64_t{});
    case DType::U64:
        return body(std::uint64_t{});
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
        return body(float{});
    case DType::F64:
        return body(double{});
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

template <class F>
Scalar map1(DType dtype, std::span<const Scalar> operands, F function)
{
    return withType(dtype, [&](auto zero) {
        return scalarOf(dtype, static_cast<decltype(zero)>(function(valueOf<decltype(zero)>(operands[0]))));
    });
}

template <class F>
Scalar map2(DType dtype, std::span<const Scalar> operands, F function)
{
    return withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        return scalarOf(dtype, static_cast<T>(function(valueOf<T>(operands[0]), valueOf<T>(operands[1]))));
    });
}

template <class F>
Scalar map3(DType dtype, std::span<const Scalar> operands, F function)
{
    return withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        return scalarOf(dtype,
                        static_cast<T>(function(valueOf<T>(operands[0]), valueOf<T>(operands[1]), valueOf<T>(operands[2]))));
    });
}

template <class F>
Scalar test2(DType dtype, std::span<const Scalar> operands, F function)
{
    return withType(dtype, [&](auto zero) {
        using T = decltype(zero);
        return Scalar::ofBool(function(valueOf<T>(operands[0]), valueOf<T>(operands[1])));
    });
}

// For operations that are defined only on floats.
template <class F>
Scalar float1(DType dtype, std::span<const Scalar> operands, F function)
{
    // Evaluated in f64 and rounded once: devices must match this value within their ULP bound.
    return Scalar::of(dtype, function(operands[0].asDouble()));
}

// Wraps by computing in the unsigned 64-bit type, whose overflow is defined.
template <class T, class F>
T wrapped(T a, T b, F function)
{
    return static_cast<T>(function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <class T>
T add(T a, T b)
{
    if constexpr (std::same_as<T, bool>)
        return a || b;
    else if constexpr (std::floating_point<T>)
        return a + b;
    else
        return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

template <class T>
T subtract(T a, T b)
{
    if constexpr (std::same_as<T, bool>)
        return a != b;
    else if constexpr (std::floating_point<T>)
        return a - b;
    else
        return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
}

template <class T>
T multiply(T a, T b)
{
    if constexpr (std::same_as<T, bool>)
        return a && b;
    else if constexpr (std::floating_point<T>)
        return a * b;
    else
        return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x * y; });
}

template <class T>
T truncatedQuotient(T a, T b)
{
    if constexpr (std::same_as<T, bool>) {
        return a && b;
    } else {
        if (b == 0)
            return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1))
                return subtract(T(0), a);
        }
        return static_cast<T>(a / b);
    }
}

template <class T>
T divide(T a, T b)
{
    if constexpr (std::floating_point<T>)
        return a / b;
    else
        return truncatedQuotient(a, b);
}

template <class T>
T truncatedRemainder(T a, T b)
{
    if constexpr (std::floating_point<T>) {
        return std::fmod(a, b);
    } else if constexpr (std::same_as<T, bool>) {
        return false;
    } else {
        if (b == 0)
            return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1))
                return 0;
        }
        return static_cast<T>(a % b);
    }
}

// The result has the sign of the divisor, as in Python; a zero remainder of floats takes the divisor's sign too.
template <class T>
T floorRemainder(T a, T b)
{
    const T remainder = truncatedRemainder(a, b);
    if constexpr (std::floating_point<T>) {
        if (remainder == 0)
            return std::copysign(T(0), b);
        return (remainder < 0) != (b < 0) ? remainder + b : remainder;
    } else if constexpr (std::is_signed_v<T>) {
        return remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
    } else {
        return remainder;
    }
}

template <class T>
T floorQuotient(T a, T b)
{
    if constexpr (std::floating_point<T>) {
        return std::floor(a / b);
    } else {
        const T quotient = truncatedQuotient(a, b);
        if constexpr (std::is_signed_v<T>) {
            const T remainder = truncatedRemainder(a, b);
            return b != 0 && remainder != 0 && (remainder < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
        } else {
            return quotient;
        }
    }
}

// Exact for integers: repeated squaring, wrapping; a negative exponent is 1/x truncated (0 unless x is 1 or -1; 0 for x = 0).
template <class T>
T power(T base, T exponent)
{
    if constexpr (std::floating_point<T>) {
        return static_cast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    } else if constexpr (std::same_as<T, bool>) {
        return base || !exponent;
    } else {
        if constexpr (std::is_signed_v<T>) {
            if (exponent < 0) {
                if (base == T(1))
                    return 1;
                return base == T(-1) ? static_cast<T>((exponent & 1) != 0 ? -1 : 1) : T(0);
            }
        }
        T result = 1;
        auto remaining = static_cast<std::uint64_t>(exponent);
        while (remaining != 0) {
            if ((remaining & 1U) != 0)
                result = multiply(result, base);
            base = multiply(base, base);
            remaining >>= 1U;
        }
        return result;
    }
}

template <class T>
T maximum(T a, T b)
{
    if constexpr (std::floating_point<T>) {
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
        if (a == b)
            return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}

template <class T>
T minimum(T a, T b)
{
    if constexpr (std::floating_point<T>) {
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
        if (a == b)
            return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
}

// Bitwise on integers, logical on bool; accepted operands exclude floats, so no float calls it.
template <class T, class F>
T bitwise(T a, T b, F function)
{
    if constexpr (std::floating_point<T>)
        return std::numeric_limits<T>::quiet_NaN();
    else
        return static_cast<T>(function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <class T>
T shiftLeft(T a, T b)
{
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        constexpr std::uint64_t width = 8 * sizeof(T);
        const auto amount = static_cast<std::uint64_t>(b);
        return amount >= width ? T(0) : static_cast<T>(static_cast<std::uint64_t>(a) << amount);
    } else {
        return a;
    }
}

template <class T>
T shiftRight(T a, T b)
{
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        constexpr std::uint64_t width = 8 * sizeof(T);
        const auto amount = static_cast<std::uint64_t>(b);
        if (amount >= width)
            return a < T(0) ? static_cast<T>(-1) : T(0);
        return static_cast<T>(a >> amount);
    } else {
        return a;
    }
}

template <class T>
T negate(T a)
{
    if constexpr (std::same_as<T, bool>)
        return !a;
    else if constexpr (std::floating_point<T>)
        return -a;
    else
        return subtract(T(0), a);
}

template <class T>
T magnitude(T a)
{
    if constexpr (std::floating_point<T>)
        return std::abs(a);
    else if constexpr (std::is_signed_v<T> && !std::same_as<T, bool>)
        return a < 0 ? subtract(T(0), a) : a;
    else
        return a;
}

// -1, 0 or 1; NaN stays NaN and a zero keeps its sign.
template <class T>
T signOf(T a)
{
    if constexpr (std::floating_point<T>)
        return std::isnan(a) || a == 0 ? a : std::copysign(T(1), a);
    else
        return static_cast<T>(a > T(0) ? 1 : (a < T(0) ? -1 : 0));
}

// NaN becomes 0; -0 stays.
template <class T>
T rectified(T a)
{
    return a >= T(0) ? a : T(0);
}

// NaN stays NaN.
template <class T>
T saturated01(T a)
{
    if (a <= T(0))
        return T(0);
    return a >= T(1) ? T(1) : a;
}

// The gradients of the two functions above: value or 0.
template <class T>
T reluGate(T gate, T value)
{
    return gate > T(0) ? value : T(0);
}
template <class T>
T saturated01Gate(T gate, T value)
{
    return gate > T(0) && gate < T(1) ? value : T(0);
}

template <class T>
T fusedMultiplyAdd(T a, T b, T c)
{
    if constexpr (std::floating_point<T>)
        return std::fma(a, b, c);
    else
        return add(multiply(a, b), c);
}

} // namespace sw::eval
