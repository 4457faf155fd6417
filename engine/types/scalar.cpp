#include "engine/types/scalar.h"

#include "engine/types/float_formats.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace sw {

namespace {

constexpr std::uint64_t maskOf(std::uint32_t bytes)
{
    return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

// Truncates towards zero; out of range saturates; NaN gives 0.
template <class Integer>
Integer saturated(double value)
{
    if (std::isnan(value))
        return 0;
    // The limits as doubles: the upper one rounds up to a power of two for 64-bit types, so compare with >=.
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
    case DType::Bool:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
        break;
    }
    SW_UNREACHABLE();
}

std::uint64_t floatBits(DType dtype, double value)
{
    switch (dtype) {
    case DType::F16:
        return f16FromF64(value);
    case DType::BF16:
        return bf16FromF64(value);
    case DType::F32:
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::F64:
        return std::bit_cast<std::uint64_t>(value);
    case DType::Bool:
    case DType::U8:
    case DType::I8:
    case DType::U16:
    case DType::I16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64:
        break;
    }
    SW_UNREACHABLE();
}

// A 64-bit integer to f32 in one rounding; going through double would round twice.
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

std::uint64_t quietNanBits(DType dtype)
{
    return floatBits(dtype, std::numeric_limits<double>::quiet_NaN());
}

Diagnostic notAScalar(DType dtype, std::string_view text)
{
    return Diagnostic::error(Code::Syntax, {}, "{} is not a value of type {}", quoted(text), nameOf(dtype));
}

Result<Scalar> parseFloat(DType dtype, std::string_view text)
{
    if (text.starts_with("nan:0x")) {
        std::uint64_t bits = 0;
        const auto [end, error] = std::from_chars(text.data() + 6, text.data() + text.size(), bits, 16);
        if (error != std::errc{} || end != text.data() + text.size() || bits > maskOf(bytesOf(dtype)))
            return notAScalar(dtype, text);
        return Scalar::fromBits(dtype, bits);
    }
    // from_chars straight to float, so that an f32 literal is rounded once.
    if (dtype == DType::F32) {
        float value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size())
            return notAScalar(dtype, text);
        return Scalar::fromBits(dtype, std::isnan(value) ? quietNanBits(dtype) : std::bit_cast<std::uint32_t>(value));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return notAScalar(dtype, text);
    return Scalar::fromBits(dtype, std::isnan(value) ? quietNanBits(dtype) : floatBits(dtype, value));
}

} // namespace

Scalar Scalar::fromBits(DType dtype, std::uint64_t bits)
{
    Scalar out;
    out.m_dtype = dtype;
    out.m_bits = dtype == DType::Bool ? static_cast<std::uint64_t>(bits != 0) : bits & maskOf(bytesOf(dtype));
    return out;
}

Scalar Scalar::of(DType dtype, double value)
{
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
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, bytesOf(dtype)); // little-endian
    return fromBits(dtype, bits);
}

void Scalar::store(void *bytes) const
{
    std::memcpy(bytes, &m_bits, bytesOf(m_dtype));
}

double Scalar::asDouble() const
{
    switch (m_dtype) {
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
    return sw::isFloat(m_dtype) ? asDouble() != 0 : m_bits != 0;
}

bool Scalar::isNan() const
{
    return sw::isFloat(m_dtype) && std::isnan(asDouble());
}

Scalar Scalar::castTo(DType dtype) const
{
    if (dtype == m_dtype)
        return *this;
    if (dtype == DType::Bool)
        return ofBool(asBool());
    if (sw::isFloat(m_dtype))
        return of(dtype, asDouble());
    return m_dtype == DType::U64 ? of(dtype, m_bits) : of(dtype, asInt());
}

std::string toText(const Scalar &value)
{
    if (value.dtype() == DType::Bool)
        return value.asBool() ? "true" : "false";
    if (isUnsigned(value.dtype()))
        return format("{}", value.asUnsigned());
    if (isSigned(value.dtype()))
        return format("{}", value.asInt());
    if (value.isNan() && value.bits() != quietNanBits(value.dtype()))
        return format("nan:{:#x}", value.bits());
    return value.dtype() == DType::F64 ? floatText(value.asDouble()) : floatText(value.asFloat());
}

Result<Scalar> parseScalar(DType dtype, std::string_view text)
{
    if (dtype == DType::Bool) {
        if (text == "true" || text == "false")
            return Scalar::ofBool(text == "true");
        return notAScalar(dtype, text);
    }
    if (isFloat(dtype))
        return parseFloat(dtype, text);
    if (isUnsigned(dtype)) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value > maskOf(bytesOf(dtype)))
            return notAScalar(dtype, text);
        return Scalar::of(dtype, value);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || Scalar::of(dtype, value).asInt() != value)
        return notAScalar(dtype, text);
    return Scalar::of(dtype, value);
}

Scalar lowestOf(DType dtype)
{
    if (isFloat(dtype))
        return Scalar::of(dtype, -std::numeric_limits<double>::infinity());
    return Scalar::fromBits(dtype, isSigned(dtype) ? std::uint64_t{1} << (infoOf(dtype).bits - 1) : 0);
}

Scalar highestOf(DType dtype)
{
    if (isFloat(dtype))
        return Scalar::of(dtype, std::numeric_limits<double>::infinity());
    const std::uint32_t valueBits = infoOf(dtype).bits - (isSigned(dtype) ? 1 : 0);
    return Scalar::fromBits(dtype, valueBits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << valueBits) - 1);
}

} // namespace sw
