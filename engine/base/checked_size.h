#pragma once
// Sizes computed from what a program, a file or another process says: elements, bytes, extents, offsets, work items. A result
// that overflows 63 bits stays marked in everything computed from it, and is larger than every limit.
//
//   const CheckedSize bytes = CheckedSize(elements) * bytesOf(dtype);
//   if (bytes > kMostBytes) return Diagnostic::error(Code::Limit, where, "... {} bytes ...", toText(bytes));

#include "engine/base/assert.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace sw {

class CheckedSize {
public:
    constexpr CheckedSize() = default;
    template <std::integral T>
    constexpr CheckedSize(T value) : m_value(static_cast<std::int64_t>(value)), m_fits(std::in_range<std::int64_t>(value))
    {
    }

    [[nodiscard]] constexpr bool fits() const { return m_fits; }
    [[nodiscard]] std::int64_t value() const
    {
        SW_ASSERT(m_fits, "a size that fits into 63 bits");
        return m_value;
    }
    // For estimates and messages: a size that does not fit becomes the largest number.
    [[nodiscard]] constexpr std::int64_t saturated() const { return m_fits ? m_value : std::numeric_limits<std::int64_t>::max(); }

    // unit: a positive number.
    [[nodiscard]] constexpr CheckedSize roundedUpTo(std::int64_t unit) const
    {
        const CheckedSize raised = *this + (unit - 1);
        return raised.m_fits ? CheckedSize(raised.m_value / unit * unit) : raised;
    }

    friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b)
    {
        CheckedSize sum;
        sum.m_fits = !__builtin_add_overflow(a.m_value, b.m_value, &sum.m_value) && a.m_fits && b.m_fits;
        return sum;
    }
    friend constexpr CheckedSize operator-(CheckedSize a, CheckedSize b)
    {
        CheckedSize difference;
        difference.m_fits = !__builtin_sub_overflow(a.m_value, b.m_value, &difference.m_value) && a.m_fits && b.m_fits;
        return difference;
    }
    friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b)
    {
        CheckedSize product;
        product.m_fits = !__builtin_mul_overflow(a.m_value, b.m_value, &product.m_value) && a.m_fits && b.m_fits;
        return product;
    }
    constexpr CheckedSize &operator+=(CheckedSize other) { return *this = *this + other; }
    constexpr CheckedSize &operator*=(CheckedSize other) { return *this = *this * other; }

    friend constexpr bool operator>(CheckedSize a, std::int64_t limit) { return !a.m_fits || a.m_value > limit; }
    friend constexpr bool operator<=(CheckedSize a, std::int64_t limit) { return !(a > limit); }

private:
    std::int64_t m_value = 0;
    bool m_fits = true;
};

// The product of the factors; 1 if there are none.
[[nodiscard]] constexpr CheckedSize productOf(const auto &factors)
{
    CheckedSize product = 1;
    for (const auto factor : factors)
        product *= factor;
    return product;
}

[[nodiscard]] inline std::string toText(CheckedSize size)
{
    return size.fits() ? std::to_string(size.value()) : "2^63 or more";
}

} // namespace sw
