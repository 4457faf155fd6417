#pragma once
// Reads the bytes of a file into a Model.

#include "engine/base/mapped_file.h"
#include "engine/onnx/model.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace sw::onnx {

struct ModelBytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const MappedFile> mapped = {}; // the file that has them: large tensors stay in it. Null: they are copied
    std::string fileName;                          // for messages
    std::filesystem::path folder = {};             // with the files in which the model keeps tensors; empty: there are none
};

// Sizes are checked against the files' actual contents before anything is allocated.
[[nodiscard]] Result<Model> readModel(const ModelBytes &from, const std::stop_token &stop);

// Makes text from a file safe to show: escapes control characters and bytes that are not UTF-8.
[[nodiscard]] std::string displayText(std::string_view text);

} // namespace sw::onnx
