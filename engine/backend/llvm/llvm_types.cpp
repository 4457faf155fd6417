#include "engine/backend/llvm/llvm_types.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace sw {

namespace {

std::string_view elementType(DType dtype)
{
    return dtype == DType::Bool ? "i1" : infoOf(dtype).llvm;
}

// LLVM accepts decimal text only when it gives the exact value; otherwise this writes the bits of the value as a double.
std::string floatConstant(double value, DType dtype)
{
    const std::string text = dtype == DType::F64 ? floatText(value) : floatText(static_cast<float>(value));
    double readBack = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), readBack);
    const bool isExact = error == std::errc{} && std::isfinite(value) && readBack == value;
    if (isExact && text.find('.') != std::string::npos)
        return text;
    return format("0x{:016X}", std::bit_cast<std::uint64_t>(value));
}

std::string elementConstant(const Scalar &value)
{
    switch (value.dtype()) {
    case DType::Bool:
        return value.asBool() ? "true" : "false";
    case DType::F16:
        return format("0xH{:04X}", value.bits());
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::BF16:
        return format("{}", value.bits());
    case DType::F32:
    case DType::F64:
        return floatConstant(value.asDouble(), value.dtype());
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
        return format("{}", value.bits());
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
        return format("{}", value.asInt());
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

std::string splat(std::string_view element, std::string_view constant, std::uint32_t lanes)
{
    return lanes == 1 ? std::string(constant) : format("splat ({} {})", element, constant);
}

} // namespace

std::string llvmLanes(std::string_view element, std::uint32_t lanes)
{
    return lanes == 1 ? std::string(element) : format("<{} x {}>", lanes, element);
}

std::string llvmType(DType dtype, std::uint32_t lanes)
{
    return llvmLanes(elementType(dtype), lanes);
}

std::string llvmMemoryType(DType dtype, std::uint32_t lanes)
{
    return llvmLanes(infoOf(dtype).llvm, lanes);
}

std::string llvmShortName(DType dtype, std::uint32_t lanes)
{
    const std::uint32_t bits = infoOf(dtype).bits;
    const bool isFloatingPoint = isFloat(dtype) && dtype != DType::BF16 && !isFloat8(dtype);
    const std::string element = format("{}{}", isFloatingPoint ? 'f' : 'i', bits);
    return lanes == 1 ? element : format("v{}{}", lanes, element);
}

std::string llvmConstant(const Scalar &value, std::uint32_t lanes)
{
    return splat(elementType(value.dtype()), elementConstant(value), lanes);
}

std::string llvmVectorConstant(std::span<const Scalar> values)
{
    return format("<{}>", join(values, ", ", [](const Scalar &value) {
                      return format("{} {}", elementType(value.dtype()), elementConstant(value));
                  }));
}

PlaceholderText llvmPlaceholders(DType dtype, std::uint32_t lanes)
{
    return [dtype, lanes](std::string_view name) -> std::string {
        const std::uint32_t bits = infoOf(dtype).bits;
        if (name == "T")
            return llvmType(dtype, lanes);
        if (name == "t")
            return llvmShortName(dtype, lanes);
        if (name == "lanes")
            return format("x{}", lanes);
        if (name == "double.name")
            return llvmShortName(DType::F64, lanes);
        if (name == "S width")
            return splat(elementType(dtype), format("{}", bits), lanes);
        if (name == "S width-1")
            return splat(elementType(dtype), format("{}", bits - 1), lanes);
        const std::size_t space = name.find(' ');
        if (space == std::string_view::npos)
            return llvmLanes(name, lanes);
        const std::string_view element = name.substr(0, space);
        return splat(element == "S" ? elementType(dtype) : element, name.substr(space + 1), lanes);
    };
}

} // namespace sw
