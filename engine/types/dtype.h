#pragma once
// Element types. dtype.def is the one table; names, sizes, spellings and the promotion order are read from it.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sw {

enum class DType : std::uint8_t {
#define SW_DTYPE(name, ...) name,
#include "engine/types/dtype.def"
#undef SW_DTYPE
};

// Words: bits without arithmetic. None: no value at all.
enum class DTypeFamily : std::uint8_t { None, Bool, Unsigned, Signed, Float, Words };

struct DTypeInfo {
    std::string_view name = {};
    std::string_view alias = {}; // other accepted names, with spaces between them
    std::uint32_t bytes = 0;     // of an element in memory
    DTypeFamily family = DTypeFamily::Bool;
    std::uint32_t bits = 0; // of the value
    std::string_view c = {};
    std::string_view opencl = {};
    std::string_view llvm = {};
    std::string_view npy = {}; // NumPy's descr; types that NumPy lacks are stored as their raw bits (see npy.h)
    std::string_view doc = {};
};

[[nodiscard]] const DTypeInfo &infoOf(DType dtype);
[[nodiscard]] std::span<const DType> allDTypes();    // in promotion order
[[nodiscard]] std::span<const DType> scalarDTypes(); // those that kernels compute with or store: not unit, not u32x4
[[nodiscard]] std::optional<DType> dtypeNamed(std::string_view nameOrAlias);

[[nodiscard]] inline std::string_view nameOf(DType dtype)
{
    return infoOf(dtype).name;
}
[[nodiscard]] inline std::uint32_t bytesOf(DType dtype)
{
    return infoOf(dtype).bytes;
}
[[nodiscard]] inline bool isFloat(DType dtype)
{
    return infoOf(dtype).family == DTypeFamily::Float;
}
[[nodiscard]] inline bool isSigned(DType dtype)
{
    return infoOf(dtype).family == DTypeFamily::Signed;
}
[[nodiscard]] inline bool isUnsigned(DType dtype)
{
    return infoOf(dtype).family == DTypeFamily::Unsigned;
}
[[nodiscard]] inline bool isInteger(DType dtype)
{
    return isSigned(dtype) || isUnsigned(dtype);
}

// Floats of 8 and 16 bits: only stored in this type; arithmetic is done in f32.
[[nodiscard]] inline bool isStorageOnly(DType dtype)
{
    return isFloat(dtype) && infoOf(dtype).bits < 32;
}
[[nodiscard]] inline bool isFloat8(DType dtype)
{
    return dtype == DType::F8E5M2 || dtype == DType::F8E4M3;
}
// Whether a tensor can have the type.
[[nodiscard]] inline bool hasValues(DType dtype)
{
    return dtype != DType::Unit;
}
// The type for arithmetic on dtype and for accumulating its sums.
[[nodiscard]] inline DType computeType(DType dtype)
{
    return isStorageOnly(dtype) ? DType::F32 : dtype;
}

// The later of the two in the table's total order: commutative, associative, idempotent.
[[nodiscard]] DType promote(DType a, DType b);

} // namespace sw
