#pragma once
// Values that operations and conversions easily get wrong, per element type.

#include "engine/types/host_tensor.h"

#include <cmath>
#include <limits>
#include <vector>

namespace sw::test {

inline std::vector<Scalar> specialFloats(DType dtype)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<Scalar> values;
    for (const double value :
         {0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.5, -7.25, 1e-3, 300.5, 1e10, -1e20, kInfinity, -kInfinity, std::nan("")})
        values.push_back(Scalar::of(dtype, value));
    // The smallest subnormal and the largest finite value.
    const std::uint64_t infinity = Scalar::of(dtype, kInfinity).bits();
    values.push_back(Scalar::fromBits(dtype, 1));
    values.push_back(Scalar::fromBits(dtype, infinity - 1));
    return values;
}

inline std::vector<Scalar> specialIntegers(DType dtype)
{
    std::vector<Scalar> values;
    const auto bits = static_cast<std::int64_t>(infoOf(dtype).bits);
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{3},
                                     std::int64_t{-3}, std::int64_t{7}, std::int64_t{100}, bits - 1, bits, bits + 1})
        values.push_back(Scalar::of(dtype, value));
    values.push_back(lowestOf(dtype));
    values.push_back(highestOf(dtype));
    values.push_back(Scalar::fromBits(dtype, std::uint64_t{1} << (bits / 2)));
    return values;
}

inline std::vector<Scalar> specialValues(DType dtype)
{
    if (dtype == DType::Bool)
        return {Scalar::ofBool(false), Scalar::ofBool(true)};
    return isFloat(dtype) ? specialFloats(dtype) : specialIntegers(dtype);
}

// Values at which conversions between the types round, saturate or overflow.
inline std::vector<Scalar> conversionValues(DType dtype)
{
    std::vector<Scalar> values = specialValues(dtype);
    if (dtype == DType::Bool)
        return values;
    for (const double value : {127.5,
                               128.0,
                               -128.9,
                               255.9,
                               256.0,
                               32767.5,
                               65504.0,
                               65519.0,
                               65520.0,
                               65535.9,
                               2147483647.0,
                               2147483648.0,
                               -2147483649.0,
                               4294967295.0,
                               4294967296.0,
                               9223372036854775808.0,
                               18446744073709551616.0,
                               16777217.0,
                               16842753.0,
                               1.0009765625,
                               1.00048828125,
                               1.00390625,
                               1.01171875,
                               5.9604644775390625e-08,
                               2.9802322387695312e-08,
                               1e-40,
                               1e300,
                               1.0000000596046448})
        values.push_back(Scalar::of(dtype, value));
    return values;
}

// A tensor of these values, repeated up to a multiple of `unit`.
inline HostTensor tensorOf(DType dtype, const std::vector<Scalar> &values, std::size_t unit = 16)
{
    const std::size_t count = (values.size() + unit - 1) / unit * unit;
    HostTensor tensor(dtype, {static_cast<std::int64_t>(count)});
    for (std::size_t i = 0; i < count; ++i)
        tensor.set(static_cast<std::int64_t>(i), values[i % values.size()]);
    return tensor;
}

// True if both have the same bits, or both are NaN.
inline bool isSameValue(const Scalar &a, const Scalar &b)
{
    return a == b || (a.dtype() == b.dtype() && a.isNan() && b.isNan());
}

} // namespace sw::test
