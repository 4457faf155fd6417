#pragma once
// The bytes of a tensor that lie in a file. The system reads them when they are touched, and drops them again when memory is
// short.

#include "engine/base/mapped_file.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sw {

// Tensors of fewer bytes are better read at once: they need no page of their own, and nobody can change them.
inline constexpr std::size_t kLeastStored = 64 * 1024;

class StoredBytes {
public:
    // The range must be inside of the file (asserts).
    StoredBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size);

    // At a multiple of the alignment, which is a power of two up to 16: where the file does not have them so, in a copy that is
    // made once, at the first call. Threads may call it side by side.
    [[nodiscard]] std::span<const std::byte> aligned(std::size_t alignment) const;
    [[nodiscard]] std::span<const std::byte> unaligned() const { return m_bytes; }
    // Without reading them: bytes of other places may be equal, too.
    [[nodiscard]] bool areSameRange(const StoredBytes &other) const
    {
        return m_file->isOfSameFile(*other.m_file) && m_offset == other.m_offset && m_bytes.size() == other.m_bytes.size();
    }
    // Error (Code::File): the file was written to since it was opened.
    [[nodiscard]] Result<Done> checkUnchanged() const { return m_file->checkUnchanged(); }

private:
    std::shared_ptr<const MappedFile> m_file;
    std::size_t m_offset = 0;
    std::span<const std::byte> m_bytes;
    mutable std::once_flag m_isCopied;
    mutable std::vector<std::byte> m_copy;
};

} // namespace sw
