#pragma once
// How to write types, constants and conversions in C (with Clang's vector types) and in OpenCL C. Both languages use the same
// type names: f32, i64x4, b8x16. The text begins with the typedefs that it uses.

#include "engine/backend/source/prelude.h"
#include "engine/ops/op.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace sw {

class CTypes {
public:
    explicit CTypes(TargetLanguage language) : m_language(language) {}

    // The type's name; also records that the type is used.
    [[nodiscard]] std::string name(DType dtype, std::uint32_t lanes);
    // C: the vector type for memory that is only aligned for one element.
    [[nodiscard]] std::string unalignedName(DType dtype, std::uint32_t lanes);

    [[nodiscard]] std::string constant(const Scalar &value, std::uint32_t lanes);
    [[nodiscard]] std::string vectorOf(std::span<const std::string> elements, DType dtype);
    // A plain lane-by-lane conversion of values that fit (or, for integers, wrap).
    [[nodiscard]] std::string converted(std::string_view expression, DType to, std::uint32_t lanes);
    [[nodiscard]] std::string reinterpreted(std::string_view expression, DType from, DType to, std::uint32_t lanes);

    // The placeholders of the preludes: {T} the operands' type, {S} its element, {n} the lanes as OpenCL writes them, {width} its
    // bits, {u} {i} the integers of its width, {mask} what comparing it gives, {f32} {u16} ... types with as many lanes;
    // {to i32:x} a plain conversion of x, {as u32:x} its bits; {I} a second type, {min} {max} {low} {beyond} its range.
    [[nodiscard]] PlaceholderText placeholders(DType dtype, std::uint32_t lanes, DType second = DType::Bool);

    [[nodiscard]] bool uses(DType dtype) const { return m_used.contains({dtype, 1}); }
    [[nodiscard]] std::string typedefs() const;

private:
    [[nodiscard]] std::string placeholder(std::string_view name, DType dtype, std::uint32_t lanes, DType second);
    [[nodiscard]] std::string rangePlaceholder(std::string_view name, DType dtype, std::uint32_t lanes, DType second);
    [[nodiscard]] std::string openClName(DType dtype, std::uint32_t lanes) const;
    [[nodiscard]] std::string scalarConstant(const Scalar &value) const;
    [[nodiscard]] std::string floatConstant(const Scalar &value) const;

    using Used = std::pair<DType, std::uint32_t>;
    TargetLanguage m_language;
    std::set<Used> m_used;
    std::set<Used> m_unaligned;
};

// "f32x16": the name, without recording its use.
[[nodiscard]] std::string cTypeName(DType dtype, std::uint32_t lanes);

} // namespace sw
