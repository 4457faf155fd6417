#pragma once
// Reads the bytes of a file into a Model.

#include "engine/onnx/model.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace sw::onnx {

// Messages show fileName. Sizes are checked against the files' actual contents before anything is allocated. folder: with the
// files in which the model keeps tensors; empty: there are none.
[[nodiscard]] Result<Model> readModel(std::span<const std::byte> bytes, const std::string &fileName,
                                      const std::filesystem::path &folder);

// Makes text from a file safe to show: escapes control characters and bytes that are not UTF-8.
[[nodiscard]] std::string displayText(std::string_view text);

} // namespace sw::onnx
