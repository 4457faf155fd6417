#include "engine/onnx/onnx_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace sw::onnx {

namespace {

struct TypeRow {
    std::string_view name;
    std::optional<DType> dtype = {}; // none: we have no such type
    Narrow narrow = Narrow::None;
    unsigned bits = 0; // of a narrow type
};

// Indexed by ONNX's number.
constexpr std::array<TypeRow, 27> kTypes = {{
    {"undefined"},
    {"float", DType::F32},
    {"uint8", DType::U8},
    {"int8", DType::I8},
    {"uint16", DType::U16},
    {"int16", DType::I16},
    {"int32", DType::I32},
    {"int64", DType::I64},
    {"string"},
    {"bool", DType::Bool},
    {"float16", DType::F16},
    {"double", DType::F64},
    {"uint32", DType::U32},
    {"uint64", DType::U64},
    {"complex64"},
    {"complex128"},
    {"bfloat16", DType::BF16},
    {"float8e4m3fn", DType::F8E4M3},
    {"float8e4m3fnuz", DType::U8, Narrow::Float8E4M3FNUZ, 8},
    {"float8e5m2", DType::F8E5M2},
    {"float8e5m2fnuz", DType::U8, Narrow::Float8E5M2FNUZ, 8},
    {"uint4", DType::U8, Narrow::UInt4, 4},
    {"int4", DType::I8, Narrow::Int4, 4},
    {"float4e2m1", DType::U8, Narrow::Float4E2M1, 4},
    {"float8e8m0", DType::U8, Narrow::Float8E8M0, 8},
    {"uint2", DType::U8, Narrow::UInt2, 2},
    {"int2", DType::I8, Narrow::Int2, 2},
}};

const TypeRow &rowOf(Narrow narrow)
{
    const auto *row = std::ranges::find(kTypes, narrow, &TypeRow::narrow);
    SW_ASSERT(row != kTypes.end() && narrow != Narrow::None, "a narrow type");
    return *row;
}

} // namespace

std::string_view nameOf(Narrow narrow)
{
    return rowOf(narrow).name;
}

DType storageOf(Narrow narrow)
{
    return *rowOf(narrow).dtype;
}

unsigned bitsOf(Narrow narrow)
{
    return rowOf(narrow).bits;
}

Result<ElementType> elementTypeOfOnnx(std::int64_t number, const SourceRange &where)
{
    const bool isKnown = number > 0 && static_cast<std::size_t>(number) < kTypes.size();
    if (!isKnown)
        return Diagnostic::error(Code::MalformedModel, where, "element type {} is none of ONNX's", number);
    const TypeRow &row = kTypes[static_cast<std::size_t>(number)];
    if (!row.dtype)
        return Diagnostic::error(Code::UnsupportedDType, where, "element type {} is not supported", row.name);
    return ElementType{*row.dtype, row.narrow};
}

Result<ElementType> elementTypeNamed(std::string_view name)
{
    const auto isNamed = [&](const TypeRow &row) {
        return std::ranges::equal(row.name, name, {}, [](unsigned char c) { return std::toupper(c); });
    };
    const auto *row = std::ranges::find_if(kTypes, isNamed);
    if (row == kTypes.end())
        return Diagnostic::error(Code::MalformedModel, {}, "element type '{}' is none of ONNX's", name.substr(0, 40));
    return elementTypeOfOnnx(row - kTypes.begin(), {});
}

Result<DType> dtypeOfOnnx(std::int64_t number, const SourceRange &where)
{
    SW_TRY(const ElementType type, elementTypeOfOnnx(number, where));
    if (type.narrow != Narrow::None)
        return Diagnostic::error(Code::UnsupportedDType, where, "element type {} is not supported here", nameOf(type.narrow));
    return type.dtype;
}

} // namespace sw::onnx
