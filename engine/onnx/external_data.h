#pragma once
// Tensors that a model keeps in files beside it.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace sw::onnx {

// Where a tensor's bytes lie, as the model says.
struct ExternalPlace {
    std::string location; // a path relative to the model's folder
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length = {}; // in bytes
};

// Bytes that are there to be read.
struct ExternalBytes {
    std::filesystem::path file;
    std::uint64_t offset = 0;
};

// Finds so many bytes in a file in the folder or below it. Refuses paths that lead out of the folder, also through links, and
// files that do not have these bytes. An empty folder: the model has none, and everything is refused.
[[nodiscard]] Result<ExternalBytes> findExternal(const std::filesystem::path &folder, const ExternalPlace &place,
                                                 std::uint64_t bytes);
[[nodiscard]] Result<Done> readExternal(const ExternalBytes &found, std::span<std::byte> out);

} // namespace sw::onnx
