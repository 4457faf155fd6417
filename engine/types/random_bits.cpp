#include "engine/types/random_bits.h"

#include <cmath>

namespace sw {

Scalar uniformOf(DType dtype, std::uint64_t bits)
{
    if (!isFloat(dtype))
        return Scalar::fromBits(dtype, bits);
    const std::uint32_t kept = significandBits(dtype);
    const std::uint64_t fraction = bits >> (infoOf(dtype).bits - kept);
    return Scalar::of(dtype, std::ldexp(static_cast<double>(fraction), -static_cast<int>(kept)));
}

std::uint32_t significandBits(DType dtype)
{
    switch (dtype) {
    case DType::F8E5M2:
        return 3;
    case DType::F8E4M3:
        return 4;
    case DType::F16:
        return 11;
    case DType::BF16:
        return 8;
    case DType::F32:
        return 24;
    case DType::F64:
        return 53;
    case DType::Unit:
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

} // namespace sw
