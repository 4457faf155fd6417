#pragma once
// ONNX's numbers for element types.

#include "engine/base/result.h"
#include "engine/types/dtype.h"

namespace sw::onnx {

// Returns the element type with ONNX's number, or a diagnostic if we have no such type.
[[nodiscard]] Result<DType> dtypeOfOnnx(std::int32_t number, const SourceRange &where);

} // namespace sw::onnx
