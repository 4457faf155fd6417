#pragma once
// The bytes of a tensor that are not in memory before somebody uses them: those that lie in a file, which the system reads when
// they are touched and drops again when memory is short, and those of another tensor in another order.

#include "engine/base/mapped_file.h"
#include "engine/types/host_tensor.h"
#include "engine/types/panels.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace sw {

// Tensors of fewer bytes are better read at once: they need no page of their own, and nobody can change them.
inline constexpr std::size_t kLeastStored = 64 * 1024;

// Threads may call all of it side by side.
class StoredBytes {
public:
    // The range must be inside of the file (asserts).
    StoredBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size);
    // The elements of a tensor, which has as many as the panels (asserts). They are put into panels when somebody asks for bytes.
    StoredBytes(HostTensor matrix, const Panels &panels);

    // At a multiple of the alignment, which is a power of two up to 16: where the file does not have them so, in a copy that is
    // made once, at the first call.
    [[nodiscard]] std::span<const std::byte> aligned(std::size_t alignment) const;
    [[nodiscard]] std::span<const std::byte> unaligned() const { return m_file == nullptr ? made() : m_bytes; }
    [[nodiscard]] std::size_t size() const { return m_file == nullptr ? m_matrix.byteSize() : m_bytes.size(); }
    // The first byte of one element of that size, wherever it lies now: nothing is made for it.
    [[nodiscard]] const std::byte *element(std::size_t index, std::size_t elementBytes) const;
    // Whether they are one range of a file, or panels of one tensor: other bytes may be equal, too.
    [[nodiscard]] bool areKnownEqual(const StoredBytes &other) const;
    // Error (Code::File): the file was written to since it was opened, and before bytes were copied from it for good.
    [[nodiscard]] Result<Done> checkUnchanged() const;

private:
    using Memory = std::unique_ptr<std::byte[], void (*)(std::byte *)>;
    [[nodiscard]] std::span<const std::byte> made() const;

    std::shared_ptr<const MappedFile> m_file; // null: these are panels of the matrix
    std::size_t m_offset = 0;
    std::span<const std::byte> m_bytes; // of the file
    HostTensor m_matrix;
    Panels m_panels;
    mutable std::once_flag m_isMade;
    mutable Memory m_made;                       // the copy that is aligned, or the panels
    mutable std::optional<Diagnostics> m_change; // of the matrix's file, by the time when the panels were made
};

} // namespace sw
