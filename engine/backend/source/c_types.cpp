#include "engine/backend/source/c_types.h"

#include "engine/base/assert.h"

#include <cmath>
#include <vector>

namespace sw {

namespace {

DType unsignedOf(DType dtype)
{
    switch (bytesOf(dtype)) {
    case 1:
        return DType::U8;
    case 2:
        return DType::U16;
    case 4:
        return DType::U32;
    default: // a number of bytes, not an enumeration
        return DType::U64;
    }
}

DType signedOf(DType dtype)
{
    switch (bytesOf(dtype)) {
    case 1:
        return DType::I8;
    case 2:
        return DType::I16;
    case 4:
        return DType::I32;
    default:
        return DType::I64;
    }
}

DType typeNamed(std::string_view name)
{
    if (name == "b8")
        return DType::Bool;
    const auto found = dtypeNamed(name);
    SW_ASSERT(found.has_value(), "a placeholder of the preludes, found " + std::string(name));
    return *found;
}

// When Clang compares vectors of bytes, the result is a vector of char, which does not convert to a vector of signed char.
std::string vectorElement(DType dtype)
{
    return dtype == DType::I8 ? "char" : cTypeName(dtype, 1);
}

} // namespace

std::string cTypeName(DType dtype, std::uint32_t lanes)
{
    const std::string_view element = dtype == DType::Bool ? std::string_view("b8") : nameOf(dtype);
    return lanes == 1 ? std::string(element) : format("{}x{}", element, lanes);
}

std::string CTypes::name(DType dtype, std::uint32_t lanes)
{
    m_used.insert({dtype, 1});
    m_used.insert({dtype, lanes});
    return cTypeName(dtype, lanes);
}

std::string CTypes::unalignedName(DType dtype, std::uint32_t lanes)
{
    m_unaligned.insert({dtype, lanes});
    return name(dtype, lanes) + "_any";
}

std::string CTypes::openClName(DType dtype, std::uint32_t lanes) const
{
    return lanes == 1 ? std::string(infoOf(dtype).opencl) : format("{}{}", infoOf(dtype).opencl, lanes);
}

std::string CTypes::floatConstant(const Scalar &value) const
{
    const bool isDouble = value.dtype() == DType::F64;
    if (!std::isfinite(value.asDouble())) {
        // A NaN keeps all its bits.
        if (m_language == TargetLanguage::OpenCl)
            return isDouble ? format("as_double(0x{:016x}UL)", value.bits()) : format("as_float(0x{:08x}U)", value.bits());
        if (value.isNan())
            return isDouble ? format("__builtin_nan(\"0x{:x}\")", value.bits() & 0x7ffffffffffffULL)
                            : format("__builtin_nanf(\"0x{:x}\")", value.bits() & 0x3fffffULL);
        return format("{}__builtin_inf{}()", value.asDouble() < 0 ? "-" : "", isDouble ? "" : "f");
    }
    return isDouble ? floatText(value.asDouble()) : floatText(value.asFloat()) + "f";
}

std::string CTypes::scalarConstant(const Scalar &value) const
{
    switch (value.dtype()) {
    case DType::Bool:
    case DType::U8:
    case DType::U16:
    case DType::I8:
    case DType::I16:
        return format("({}){}", cTypeName(value.dtype(), 1), value.asInt());
    case DType::F8E5M2:
    case DType::F8E4M3:
    case DType::BF16:
        return format("({})0x{:04x}", cTypeName(value.dtype(), 1), value.bits());
    case DType::F16:
        // OpenCL devices may lack half, so its bits are kept there.
        if (m_language == TargetLanguage::OpenCl)
            return format("({})0x{:04x}", cTypeName(value.dtype(), 1), value.bits());
        return format("({}){}", cTypeName(value.dtype(), 1), floatConstant(value.castTo(DType::F32)));
    case DType::I32:
        return value.asInt() == INT32_MIN ? "(-2147483647 - 1)" : format("{}", value.asInt());
    case DType::U32:
        return format("{}U", value.bits());
    case DType::I64:
        return value.asInt() == INT64_MIN ? "(-9223372036854775807L - 1L)" : format("{}L", value.asInt());
    case DType::U64:
        return format("{}UL", value.bits());
    case DType::F32:
    case DType::F64:
        return floatConstant(value);
    case DType::Unit:
    case DType::U32x4:
        break;
    }
    SW_UNREACHABLE();
}

std::string CTypes::constant(const Scalar &value, std::uint32_t lanes)
{
    const std::string type = name(value.dtype(), lanes);
    const std::string text = scalarConstant(value);
    if (lanes != 1)
        return format("({})({})", type, text);
    return text.starts_with('-') ? format("({})", text) : text;
}

std::string CTypes::vectorOf(std::span<const std::string> elements, DType dtype)
{
    const std::string type = name(dtype, static_cast<std::uint32_t>(elements.size()));
    const std::string list = join(elements, ", ");
    return m_language == TargetLanguage::OpenCl ? format("({})({})", type, list) : format("({}){{{}}}", type, list);
}

std::string CTypes::converted(std::string_view expression, DType to, std::uint32_t lanes)
{
    const std::string type = name(to, lanes);
    if (m_language == TargetLanguage::OpenCl)
        return format("convert_{}({})", openClName(to, lanes), expression);
    return lanes == 1 ? format("({})({})", type, expression) : format("__builtin_convertvector({}, {})", expression, type);
}

std::string CTypes::reinterpreted(std::string_view expression, DType from, DType to, std::uint32_t lanes)
{
    const std::string type = name(to, lanes);
    if (m_language == TargetLanguage::OpenCl)
        return format("as_{}({})", openClName(to, lanes), expression);
    if (lanes != 1)
        return format("({})({})", type, expression);
    return format("((union {{ {} from; {} to; }}){{{}}}).to", name(from, 1), type, expression);
}

PlaceholderText CTypes::placeholders(DType dtype, std::uint32_t lanes, DType second)
{
    return [this, dtype, lanes, second](std::string_view text) { return placeholder(text, dtype, lanes, second); };
}

std::string CTypes::placeholder(std::string_view text, DType dtype, std::uint32_t lanes, DType second)
{
    if (text == "T" || text == "t")
        return name(dtype, lanes);
    if (text == "S")
        return name(dtype, 1);
    if (text == "I")
        return name(second, lanes);
    if (text == "n")
        return lanes == 1 ? "" : format("{}", lanes);
    if (text == "lanes")
        return format("{}", lanes);
    if (text == "width")
        return format("{}", infoOf(dtype).bits);
    if (text == "mask")
        return lanes == 1 ? "int" : name(signedOf(dtype), lanes);
    if (text == "fsuffix")
        return dtype == DType::F64 ? "" : "f";
    if (text == "min" || text == "max" || text == "low" || text == "beyond")
        return rangePlaceholder(text, dtype, lanes, second);
    const auto typeOf = [&](std::string_view word) {
        if (word == "u")
            return unsignedOf(dtype);
        if (word == "i")
            return signedOf(dtype);
        if (word == "T")
            return dtype;
        return word == "I" ? second : typeNamed(word);
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return name(typeOf(text), lanes);
    const std::string_view rest = text.substr(colon + 1);
    if (text.starts_with("to "))
        return converted(rest, typeOf(text.substr(3, colon - 3)), lanes);
    // "mask I:x" converts a mask of the operands' type to the width of the second type; scalar comparisons give int.
    if (text.starts_with("mask "))
        return lanes == 1 ? format("({})", rest) : converted(rest, signedOf(typeOf(text.substr(5, colon - 5))), lanes);
    SW_ASSERT(text.starts_with("as "), "a placeholder of the preludes, found " + std::string(text));
    // "as i32 from f32:x"; without "from", the source has the operands' type.
    const std::string_view types = text.substr(3, colon - 3);
    const std::size_t from = types.find(" from ");
    const DType source = from == std::string_view::npos ? dtype : typeOf(types.substr(from + 6));
    return reinterpreted(rest, source, typeOf(types.substr(0, from)), lanes);
}

// {min} {max}: lowest and highest value of the second type. {low}: its lowest, {beyond}: 1 + its highest, in the operands' type.
std::string CTypes::rangePlaceholder(std::string_view text, DType dtype, std::uint32_t lanes, DType second)
{
    if (text == "min")
        return constant(lowestOf(second), lanes);
    if (text == "max")
        return constant(highestOf(second), lanes);
    if (text == "low")
        return constant(Scalar::of(dtype, lowestOf(second).asDouble()), lanes);
    const auto bits = static_cast<int>(infoOf(second).bits) - (isSigned(second) ? 1 : 0);
    return constant(Scalar::of(dtype, std::ldexp(1.0, bits)), lanes);
}

std::string CTypes::typedefs() const
{
    const bool isOpenCl = m_language == TargetLanguage::OpenCl;
    std::string text;
    for (const auto &[dtype, lanes] : m_used) {
        const std::string type = cTypeName(dtype, lanes);
        if (isOpenCl)
            text += format("typedef {} {};\n", openClName(dtype, lanes), type);
        else if (lanes == 1)
            text += format("typedef {} {};\n", infoOf(dtype).c, type);
        else if (static_cast<std::int64_t>(lanes) * bytesOf(dtype) <= kMemoryAlignment)
            text += format("typedef {} {} __attribute__((ext_vector_type({})));\n", vectorElement(dtype), type, lanes);
        else
            text += format("typedef {} {} __attribute__((ext_vector_type({}), aligned({})));\n", vectorElement(dtype), type,
                           lanes, kMemoryAlignment);
    }
    for (const auto &[dtype, lanes] : m_unaligned)
        text += format("typedef {} {}_any __attribute__((aligned({}), may_alias));\n", cTypeName(dtype, lanes),
                       cTypeName(dtype, lanes), bytesOf(dtype));
    return text;
}

} // namespace sw
