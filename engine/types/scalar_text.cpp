// Scalars as text, and back.

#include "engine/types/scalar.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace sw {

namespace {

std::uint64_t bitsThatFit(DType dtype)
{
    return ~std::uint64_t{0} >> (64 - infoOf(dtype).bits);
}

std::uint64_t quietNanBits(DType dtype)
{
    return Scalar::of(dtype, std::numeric_limits<double>::quiet_NaN()).bits();
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
        if (error != std::errc{} || end != text.data() + text.size() || bits > bitsThatFit(dtype))
            return notAScalar(dtype, text);
        return Scalar::fromBits(dtype, bits);
    }
    // from_chars reads a float directly, so that an f32 literal is rounded only once.
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
    return Scalar::fromBits(dtype, std::isnan(value) ? quietNanBits(dtype) : Scalar::of(dtype, value).bits());
}

// Four words of eight hexadecimal digits, separated by colons.
Result<Scalar> parseWords(std::string_view text)
{
    constexpr std::size_t kDigits = 8;
    std::array<std::uint32_t, 4> words{};
    if (text.size() != words.size() * (kDigits + 1) - 1)
        return notAScalar(DType::U32x4, text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view digits = text.substr(i * (kDigits + 1), kDigits);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + kDigits, words.at(i), 16);
        const bool isSeparated = i == 0 || text[i * (kDigits + 1) - 1] == ':';
        if (error != std::errc{} || end != digits.data() + kDigits || !isSeparated)
            return notAScalar(DType::U32x4, text);
    }
    return Scalar::fromWords(words);
}

} // namespace

std::string toText(const Scalar &value)
{
    if (value.dtype() == DType::Bool)
        return value.asBool() ? "true" : "false";
    if (value.dtype() == DType::U32x4)
        return join(value.words(), ":", [](std::uint32_t word) { return format("{:08x}", word); });
    if (value.dtype() == DType::Unit)
        return "()";
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
    if (dtype == DType::U32x4)
        return parseWords(text);
    if (dtype == DType::Unit) {
        if (text == "()")
            return Scalar::fromBits(dtype, 0);
        return notAScalar(dtype, text);
    }
    if (isFloat(dtype))
        return parseFloat(dtype, text);
    if (isUnsigned(dtype)) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value > bitsThatFit(dtype))
            return notAScalar(dtype, text);
        return Scalar::of(dtype, value);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || Scalar::of(dtype, value).asInt() != value)
        return notAScalar(dtype, text);
    return Scalar::of(dtype, value);
}

} // namespace sw
