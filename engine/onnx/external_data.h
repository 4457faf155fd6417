#pragma once
// Tensors that a model keeps in files beside it.

#include "engine/base/mapped_file.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace sw::onnx {

// Where a tensor's bytes lie, as the model says.
struct ExternalPlace {
    std::string location; // a path relative to the model's folder
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length = {}; // in bytes
};

// Bytes that are there, and can be read.
struct ExternalBytes {
    std::shared_ptr<const MappedFile> file;
    std::size_t offset = 0;
};

// The files beside one model, each of which is mapped once.
class ExternalFiles {
public:
    // An empty folder: the model has none, and everything is refused.
    explicit ExternalFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // Finds so many bytes in a file in the folder or below it. Refuses paths that lead out of the folder, also through links, and
    // files that do not have these bytes.
    [[nodiscard]] Result<ExternalBytes> find(const ExternalPlace &place, std::uint64_t bytes);

private:
    std::filesystem::path m_folder;
    std::map<std::filesystem::path, std::shared_ptr<const MappedFile>> m_open;
};

} // namespace sw::onnx
