#pragma once
// ONNX's numbers for element types.

#include "engine/base/result.h"
#include "engine/types/dtype.h"

namespace sw::onnx {

// The element type with ONNX's number, or the diagnostic that says that we have none.
[[nodiscard]] Result<DType> dtypeOfOnnx(std::int32_t number, const SourceRange &where);

} // namespace sw::onnx
