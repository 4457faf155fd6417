#include "engine/types/scalar.h"

#include "engine/types/float_formats.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace sw {

namespace {

// The sizes alone: the interpreter loads and stores each element as a scalar.
constexpr auto kBytes = [] {
    using enum DTypeFamily;
    return std::array{
#define SW_DTYPE(name, ...) DTypeInfo{__VA_ARGS__}.bytes,
#include "engine/types/dtype.def"
#undef SW_DTYPE
    };
}();

constexpr std::uint32_t sizeOf(DType dtype)
{
    return kBytes[static_cast<std::size_t>(dtype)];
}

constexpr std::uint64_t maskOf(std::uint32_t bytes)
{
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

// Copies so many bytes, up to 8.
void copyBytes(void *to, const void *from, std::uint32_t bytes)
{
    if (bytes == 4)
        std::memcpy(to, from, 4);
    else if (bytes == 8)
        std::memcpy(to, from, 8);
    else if (bytes == 1)
        std::memcpy(to, from, 1);
    else if (bytes == 2)
        std::memcpy(to, from, 2);
}

// Truncates towards zero; out of range saturates; NaN gives 0.
template <class Integer>
Integer saturated(double value)
{
    if (std::isnan(value))
        return 0;
    // The limits as doubles. For 64-bit types the upper one rounds up to a power of two, so compare with >=.
    constexpr auto lowest = static_cast<double>(std::numeric_limits<Integer>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<Integer>::max());
    if (value <= lowest)
        return std::numeric_limits<Integer>::min();
    if (value >= highest)
        return std::numeric_limits<Integer>::max();
    return static_cast<Integer>(value);
}

std::uint64_t integerBits(DType dtype, double value)
{
    switch (dtype) {
    case DType::U8:
        return saturated<std::uint8_t>(value);
    case DType::I8:
        return static_cast<std::uint8_t>(saturated<std::int8_t>(value));
    case DType::U16:
        return saturated<std::uint16_t>(value);
    case DType::I16:
        return static_cast<std::uint16_t>(saturated<std::int16_t>(value));
    case DType::I32:
        return static_cast<std::uint32_t>(saturated<std::int32_t>(value));
    case DType::U32:
        return saturated<std::uint32_t>(value);
    case DType::I64:
        return static_cast<std::uint64_t>(saturated<std::int64_t>(value));
    case DType::U64:
        return saturated<std::uint64_t>(value);
    case DType::Unit:
    case DType::Bool:
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

std::uint64_t floatBits(DType dtype, double value)
{
    switch (dtype) {
    case DType::F8E5M2:
        return f8e5m2FromF64(value);
    case DType::F8E4M3:
        return f8e4m3FromF64(value);
    case DType::F16:
        return f16FromF64(value);
    case DType::BF16:
        return bf16FromF64(value);
    case DType::F32:
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::F64:
        return std::bit_cast<std::uint64_t>(value);
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

// Converts a 64-bit integer to f32 with one rounding; going through double would round twice.
std::uint64_t floatBitsOfInteger(DType dtype, std::int64_t value)
{
    return dtype == DType::F32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                               : floatBits(dtype, static_cast<double>(value));
}

std::uint64_t floatBitsOfInteger(DType dtype, std::uint64_t value)
{
    return dtype == DType::F32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                               : floatBits(dtype, static_cast<double>(value));
}

bool hasNumber(DType dtype)
{
    return dtype != DType::Unit && dtype != DType::U32x4;
}

// a < b for integers of any two types.
bool isBelow(const Scalar &a, const Scalar &b)
{
    const bool isNegative = isSigned(a.dtype()) && a.asInt() < 0;
    const bool isOtherNegative = isSigned(b.dtype()) && b.asInt() < 0;
    if (isNegative != isOtherNegative)
        return isNegative;
    return isNegative ? a.asInt() < b.asInt() : a.asUnsigned() < b.asUnsigned();
}

Scalar spread(const Scalar &value)
{
    const auto x = static_cast<std::uint32_t>(value.bits());
    if (value.dtype() == DType::I32 || value.dtype() == DType::U32)
        return Scalar::fromWords({x, x ^ 0x9e3779b9U, x ^ 0x6c078965U, x ^ std::rotl(x, 16)});
    return Scalar::fromWords({x, static_cast<std::uint32_t>(value.bits() >> 32U), 0, 0});
}

} // namespace

Scalar Scalar::fromBits(DType dtype, std::uint64_t bits)
{
    Scalar out;
    out.m_dtype = dtype;
    out.m_bits = dtype == DType::Bool ? static_cast<std::uint64_t>(bits != 0) : bits & maskOf(sizeOf(dtype));
    return out;
}

Scalar Scalar::fromWords(const std::array<std::uint32_t, 4> &words)
{
    Scalar out = fromBits(DType::U32x4, words[0] | std::uint64_t{words[1]} << 32U);
    out.m_high = words[2] | std::uint64_t{words[3]} << 32U;
    return out;
}

std::array<std::uint32_t, 4> Scalar::words() const
{
    return {static_cast<std::uint32_t>(m_bits), static_cast<std::uint32_t>(m_bits >> 32U), static_cast<std::uint32_t>(m_high),
            static_cast<std::uint32_t>(m_high >> 32U)};
}

Scalar Scalar::of(DType dtype, double value)
{
    SW_ASSERT(hasNumber(dtype), "a type of numbers");
    if (dtype == DType::Bool)
        return ofBool(value != 0);
    return fromBits(dtype, sw::isFloat(dtype) ? floatBits(dtype, value) : integerBits(dtype, value));
}

Scalar Scalar::of(DType dtype, std::int64_t value)
{
    return fromBits(dtype, sw::isFloat(dtype) ? floatBitsOfInteger(dtype, value) : static_cast<std::uint64_t>(value));
}

Scalar Scalar::of(DType dtype, std::uint64_t value)
{
    return fromBits(dtype, sw::isFloat(dtype) ? floatBitsOfInteger(dtype, value) : value);
}

Scalar Scalar::load(DType dtype, const void *bytes)
{
    if (dtype == DType::U32x4) {
        std::array<std::uint32_t, 4> words{};
        std::memcpy(words.data(), bytes, sizeof(words));
        return fromWords(words);
    }
    std::uint64_t bits = 0;
    copyBytes(&bits, bytes, sizeOf(dtype)); // little-endian
    return fromBits(dtype, bits);
}

void Scalar::store(void *bytes) const
{
    if (m_dtype == DType::U32x4) {
        const std::array<std::uint32_t, 4> words = this->words();
        std::memcpy(bytes, words.data(), sizeof(words));
        return;
    }
    copyBytes(bytes, &m_bits, sizeOf(m_dtype));
}

double Scalar::asDouble() const
{
    switch (m_dtype) {
    case DType::F8E5M2:
        return f32FromF8e5m2(static_cast<std::uint8_t>(m_bits));
    case DType::F8E4M3:
        return f32FromF8e4m3(static_cast<std::uint8_t>(m_bits));
    case DType::F16:
        return f32FromF16(static_cast<std::uint16_t>(m_bits));
    case DType::BF16:
        return f32FromBf16(static_cast<std::uint16_t>(m_bits));
    case DType::F32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(m_bits));
    case DType::F64:
        return std::bit_cast<double>(m_bits);
    case DType::U64:
        return static_cast<double>(m_bits);
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
        return static_cast<double>(asInt());
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

float Scalar::asFloat() const
{
    return static_cast<float>(asDouble());
}

std::int64_t Scalar::asInt() const
{
    if (sw::isFloat(m_dtype))
        return saturated<std::int64_t>(asDouble());
    if (!sw::isSigned(m_dtype))
        return static_cast<std::int64_t>(m_bits);
    const std::uint32_t unused = 64 - infoOf(m_dtype).bits;
    return static_cast<std::int64_t>(m_bits << unused) >> unused;
}

std::uint64_t Scalar::asUnsigned() const
{
    return sw::isFloat(m_dtype) ? saturated<std::uint64_t>(asDouble()) : static_cast<std::uint64_t>(asInt());
}

bool Scalar::asBool() const
{
    return sw::isFloat(m_dtype) ? asDouble() != 0 : (m_bits | m_high) != 0;
}

bool Scalar::isNan() const
{
    return sw::isFloat(m_dtype) && std::isnan(asDouble());
}

Scalar Scalar::castTo(DType dtype) const
{
    if (dtype == m_dtype)
        return *this;
    if (dtype == DType::U32x4)
        return spread(*this);
    if (m_dtype == DType::U32x4)
        return fromBits(dtype, m_bits);
    if (dtype == DType::Bool)
        return ofBool(asBool());
    if (sw::isFloat(m_dtype))
        return of(dtype, asDouble());
    return m_dtype == DType::U64 ? of(dtype, m_bits) : of(dtype, asInt());
}

Scalar Scalar::saturatedTo(DType dtype) const
{
    const bool areNumbers = hasNumber(m_dtype) && hasNumber(dtype) && m_dtype != DType::Bool && dtype != DType::Bool;
    if (!areNumbers || isNan() || (sw::isFloat(m_dtype) && !sw::isFloat(dtype)))
        return castTo(dtype);
    if (sw::isInteger(m_dtype) && sw::isInteger(dtype)) {
        if (isBelow(*this, lowestOf(dtype)))
            return lowestOf(dtype);
        return isBelow(highestOf(dtype), *this) ? highestOf(dtype) : castTo(dtype);
    }
    const double value = asDouble();
    if (std::isinf(value) && dtype != DType::F8E4M3)
        return castTo(dtype);
    const Scalar high = sw::isFloat(dtype) ? largestFiniteOf(dtype) : highestOf(dtype);
    const Scalar low = sw::isFloat(dtype) ? of(dtype, -high.asDouble()) : lowestOf(dtype);
    if (value > high.asDouble())
        return high;
    return value < low.asDouble() ? low : castTo(dtype);
}

Scalar lowestOf(DType dtype)
{
    if (dtype == DType::F8E4M3)
        return Scalar::of(dtype, -largestFiniteOf(dtype).asDouble());
    if (isFloat(dtype))
        return Scalar::of(dtype, -std::numeric_limits<double>::infinity());
    return Scalar::fromBits(dtype, isSigned(dtype) ? std::uint64_t{1} << (infoOf(dtype).bits - 1) : 0);
}

Scalar highestOf(DType dtype)
{
    if (dtype == DType::F8E4M3)
        return largestFiniteOf(dtype);
    if (isFloat(dtype))
        return Scalar::of(dtype, std::numeric_limits<double>::infinity());
    if (dtype == DType::Bool)
        return Scalar::ofBool(true);
    const std::uint32_t valueBits = infoOf(dtype).bits - (isSigned(dtype) ? 1 : 0);
    return Scalar::fromBits(dtype, valueBits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << valueBits) - 1);
}

Scalar largestFiniteOf(DType dtype)
{
    SW_ASSERT(isFloat(dtype), "a float type");
    if (dtype == DType::F8E4M3)
        return Scalar::fromBits(dtype, 0x7e);
    // One below the bits of infinity.
    return Scalar::fromBits(dtype, Scalar::of(dtype, std::numeric_limits<double>::infinity()).bits() - 1);
}

} // namespace sw
