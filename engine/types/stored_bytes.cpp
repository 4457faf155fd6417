#include "engine/types/stored_bytes.h"

#include "engine/base/assert.h"

#include <cstdint>
#include <utility>

namespace sw {

StoredBytes::StoredBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size)
    : m_file(std::move(file)), m_offset(offset)
{
    const std::span<const std::byte> all = m_file->bytes();
    SW_ASSERT(offset <= all.size() && size <= all.size() - offset, "a range of the file");
    m_bytes = all.subspan(offset, size);
}

std::span<const std::byte> StoredBytes::aligned(std::size_t alignment) const
{
    if (reinterpret_cast<std::uintptr_t>(m_bytes.data()) % alignment == 0)
        return m_bytes;
    std::call_once(m_isCopied, [&] { m_copy.assign(m_bytes.begin(), m_bytes.end()); });
    return m_copy;
}

} // namespace sw
