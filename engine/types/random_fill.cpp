#include "engine/types/random_fill.h"

#include <cmath>
#include <numbers>

namespace sw {

namespace {

constexpr std::uint64_t kIntegerValues = 10;

// SplitMix64 (Steele, Lea, Flood 2014) as a function of its position: element i does not depend on those before it.
std::uint64_t wordAt(std::uint64_t seed, std::uint64_t position)
{
    std::uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

// 24 random bits, which every float format holds or rounds.
double uniform(std::uint64_t word)
{
    return static_cast<double>(word >> 40U) * 0x1p-23 - 1.0;
}

Scalar valueAt(DType dtype, std::uint64_t word)
{
    switch (infoOf(dtype).family) {
    case DTypeFamily::Bool:
        return Scalar::ofBool((word >> 63U) != 0);
    case DTypeFamily::Unsigned:
    case DTypeFamily::Signed:
        return Scalar::of(dtype, (word >> 32U) % kIntegerValues);
    case DTypeFamily::Float:
        return Scalar::of(dtype, uniform(word));
    case DTypeFamily::None:
    case DTypeFamily::Words:
        break;
    }
    SW_UNREACHABLE();
}

// The words of the u32 tensor that stores the same bits.
HostTensor randomWords(const Shape &shape, std::uint64_t seed)
{
    constexpr std::int64_t kWords = 4;
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    extents.push_back(kWords);
    return randomTensor(DType::U32, Shape(std::move(extents)), seed).reinterpreted(DType::U32x4, shape);
}

// In [0, 1): all 53 bits that an f64 holds there.
double unit(std::uint64_t word)
{
    return static_cast<double>(word >> 11U) * 0x1p-53;
}

template <class Make>
HostTensor filledBy(DType dtype, const Shape &shape, Make &&make)
{
    SW_ASSERT(isFloat(dtype) || isInteger(dtype), "a type of numbers");
    HostTensor tensor(dtype, shape);
    std::byte *out = tensor.mutableBytes().data();
    for (std::int64_t i = 0; i < tensor.elements(); ++i, out += bytesOf(dtype))
        Scalar::of(dtype, make(static_cast<std::uint64_t>(i))).store(out);
    return tensor;
}

} // namespace

HostTensor randomTensor(DType dtype, const Shape &shape, std::uint64_t seed)
{
    if (dtype == DType::U32x4)
        return randomWords(shape, seed);
    HostTensor tensor(dtype, shape);
    if (tensor.elements() == 0)
        return tensor;
    std::byte *out = tensor.mutableBytes().data();
    const std::uint32_t width = bytesOf(dtype);
    for (std::int64_t i = 0; i < tensor.elements(); ++i, out += width)
        valueAt(dtype, wordAt(seed, static_cast<std::uint64_t>(i))).store(out);
    return tensor;
}

HostTensor uniformTensor(DType dtype, const Shape &shape, std::uint64_t seed, double low, double high)
{
    return filledBy(dtype, shape, [&](std::uint64_t i) {
        const double share = unit(wordAt(seed, i));
        return isFloat(dtype) ? low + share * (high - low) : std::floor(low + share * (high - low + 1));
    });
}

HostTensor normalTensor(DType dtype, const Shape &shape, std::uint64_t seed, double mean, double deviation)
{
    // Box and Muller (1958): two uniform numbers give one of the two that they could.
    return filledBy(dtype, shape, [&](std::uint64_t i) {
        const double radius = std::sqrt(-2 * std::log(1 - unit(wordAt(seed, 2 * i))));
        const double value = mean + deviation * radius * std::cos(2 * std::numbers::pi * unit(wordAt(seed, 2 * i + 1)));
        return isFloat(dtype) ? value : std::round(value);
    });
}

} // namespace sw
