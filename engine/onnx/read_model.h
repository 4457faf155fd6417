#pragma once
// From the bytes of a file to a Model.

#include "engine/onnx/model.h"

#include <cstddef>
#include <span>

namespace sw::onnx {

// fileName appears in messages. Sizes are checked against what the file holds before anything is allocated.
[[nodiscard]] Result<Model> readModel(std::span<const std::byte> bytes, const std::string &fileName);

// Text from a file as it may be shown: control characters and bytes that are no UTF-8 escaped.
[[nodiscard]] std::string displayText(std::string_view text);

} // namespace sw::onnx
