#pragma once
// The bytes of a file without reading them all: the system brings in a page when it is touched, and may drop it again. Files that
// are written whole (whole_file.h) stay as they were opened. One that somebody writes to while it is mapped has other bytes, and
// zeros where it was cut off: whoever keeps a mapping asks after reading.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace sw {

class MappedFile {
public:
    // Errors: missing, not a plain file, unreadable (Code::File); thousands of files are mapped (Code::Limit).
    [[nodiscard]] static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path &file);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const { return m_bytes; }
    // Error (Code::File): the file was written to since it was opened. A file that took its name is another.
    [[nodiscard]] Result<Done> checkUnchanged() const;

    // Whether both are of one file, as it was when both were opened.
    [[nodiscard]] bool isOfSameFile(const MappedFile &other) const { return m_opened == other.m_opened; }

private:
    // What tells one file from another, and that it was written to.
    struct State {
        std::uint64_t device = 0;
        std::uint64_t node = 0;
        std::int64_t size = 0;
        std::int64_t seconds = 0; // of the last write, since 1970
        std::int64_t nanoseconds = 0;
        bool operator==(const State &) const = default;
    };
    MappedFile(std::filesystem::path file, const State &opened, std::span<std::byte> bytes);

    std::filesystem::path m_file; // absolute
    State m_opened;
    std::span<std::byte> m_bytes; // empty for an empty file, which cannot be mapped
};

// Whether these bytes are a mapped file's: the system may drop them when memory is short.
[[nodiscard]] bool areMapped(std::span<const std::byte> bytes);
// Brings the pages of these bytes in, all at once, which is faster than one after the other as they are touched. Bytes that are
// no mapped file's, or that the file has lost, stay as they are.
void fetchPages(std::span<const std::byte> bytes);
// For who has copied the bytes, so that they are in memory once: the pages that are theirs alone leave the process until somebody
// touches them again, which threads may do meanwhile. Bytes that are no mapped file's stay as they are.
void dropPages(std::span<const std::byte> bytes);

} // namespace sw
