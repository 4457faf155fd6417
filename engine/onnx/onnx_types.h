#pragma once
// ONNX's numbers for element types. Types that the graph does not have are kept in wider ones ("narrow" here): an integer of 2 or
// 4 bits as its value in 8 bits, a small float as its bits. Operators that say so read and write them; others refuse them.

#include "engine/base/result.h"
#include "engine/types/dtype.h"

namespace sw::onnx {

enum class Narrow : std::uint8_t {
    None,
    UInt4,
    Int4,
    UInt2,
    Int2,
    Float4E2M1,
    Float8E4M3FNUZ,
    Float8E5M2FNUZ,
    Float8E8M0,
};

struct ElementType {
    DType dtype = DType::F32; // what the elements are kept in
    Narrow narrow = Narrow::None;
};

// ONNX's name in small letters; not for None.
[[nodiscard]] std::string_view nameOf(Narrow narrow);
[[nodiscard]] DType storageOf(Narrow narrow); // not for None
// How many bits an element has in a file; not for None.
[[nodiscard]] unsigned bitsOf(Narrow narrow);

// Returns the element type with ONNX's number, or a diagnostic if we have no such type.
[[nodiscard]] Result<ElementType> elementTypeOfOnnx(std::int64_t number, const SourceRange &where);
// The same by its name in capitals, as opset 1 writes it: "FLOAT".
[[nodiscard]] Result<ElementType> elementTypeNamed(std::string_view name);
// The same for places where a narrow type has no meaning.
[[nodiscard]] Result<DType> dtypeOfOnnx(std::int64_t number, const SourceRange &where);

} // namespace sw::onnx
