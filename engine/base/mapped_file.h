#pragma once
// The bytes of a file without reading them all: the system brings in a page when it is touched, and may drop it again. The file
// must not be cut off while it is mapped; files that are written whole (whole_file.h) never are.

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace sw {

class MappedFile {
public:
    // Errors (Code::File): missing, not a plain file, unreadable.
    [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path &file);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }

private:
    explicit MappedFile(std::span<std::byte> bytes) : m_bytes(bytes) {}

    std::span<std::byte> m_bytes; // empty for an empty file, which cannot be mapped
};

} // namespace sw
