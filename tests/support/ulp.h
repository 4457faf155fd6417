#pragma once
// How far a result is from the exact value, in units of the last place of the type: infinite when only one of them is NaN.
// A result that rounds to infinity counts as the power of two just above the largest number.

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw::test {

template <class T>
double ulpDistance(T found, long double exact)
{
    if (std::isnan(found) || std::isnan(exact))
        return std::isnan(found) && std::isnan(exact) ? 0 : std::numeric_limits<double>::infinity();
    if (std::isinf(exact))
        return found == static_cast<T>(exact) ? 0 : std::numeric_limits<double>::infinity();
    constexpr int kLowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
    const int exponent = exact == 0 ? kLowest : std::ilogb(exact) + 1 - std::numeric_limits<T>::digits;
    const long double unit = std::ldexp(1.0L, exponent < kLowest ? kLowest : exponent);
    const long double limit = std::ldexp(1.0L, std::numeric_limits<T>::max_exponent);
    if (std::isinf(found))
        return static_cast<double>(std::max(0.0L, (limit - std::copysign(exact, exact * found)) / unit));
    return static_cast<double>(std::abs(static_cast<long double>(found) - exact) / unit);
}

} // namespace sw::test
