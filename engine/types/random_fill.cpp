#include "engine/types/random_fill.h"

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

} // namespace sw
