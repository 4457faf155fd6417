#pragma once
// Tensors with every kind of value.

#include "engine/types/random_fill.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sw::test {

// Random bits as elements of the type: NaNs, infinities and subnormals of floats included; truth values are 0 and 1.
inline HostTensor randomBits(DType dtype, const Shape &shape, std::uint64_t seed)
{
    HostTensor tensor(dtype, shape);
    const HostTensor bytes =
        uniformTensor(DType::U8, Shape({static_cast<std::int64_t>(tensor.byteSize())}), seed, 0, dtype == DType::Bool ? 1 : 255);
    std::ranges::copy(bytes.bytes(), tensor.mutableBytes().begin());
    // Random bits of wide floats are almost never special.
    constexpr std::uint64_t kSign = 1;
    const std::uint32_t bits = infoOf(dtype).bits;
    if (isFloat(dtype) && tensor.elements() > 12) {
        tensor.set(3, Scalar::of(dtype, std::numeric_limits<double>::quiet_NaN()));
        tensor.set(5, highestOf(dtype));
        tensor.set(6, lowestOf(dtype));
        tensor.set(8, Scalar::fromBits(dtype, 1)); // the smallest subnormal
        tensor.set(9, Scalar::fromBits(dtype, 0));
        tensor.set(10, Scalar::fromBits(dtype, kSign << (bits - 1))); // -0
    }
    return tensor;
}

// The types that have numbers.
inline std::vector<DType> numberTypes()
{
    const std::span<const DType> all = scalarDTypes();
    return {all.begin(), all.end()};
}

} // namespace sw::test
