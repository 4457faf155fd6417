#include "engine/types/stored_bytes.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::align_val_t kPlain{64};
constexpr std::align_val_t kHuge{kHugePage};

// Memory whose contents are not known. Much of it comes in huge pages, of which a few take the place of thousands of page faults.
std::unique_ptr<std::byte[], void (*)(std::byte *)> unwrittenMemory(std::size_t size)
{
    if (size < 2 * kHugePage)
        return {static_cast<std::byte *>(::operator new(std::max<std::size_t>(size, 1), kPlain)),
                [](std::byte *p) { ::operator delete(p, kPlain); }};
    auto *bytes = static_cast<std::byte *>(::operator new(size, kHuge));
    ::madvise(bytes, size, MADV_HUGEPAGE);
    return {bytes, [](std::byte *p) { ::operator delete(p, kHuge); }};
}

} // namespace

StoredBytes::StoredBytes(std::shared_ptr<const MappedFile> file, std::size_t offset, std::size_t size)
    : m_file(std::move(file)), m_offset(offset), m_made(nullptr, nullptr)
{
    const std::span<const std::byte> all = m_file->bytes();
    SW_ASSERT(offset <= all.size() && size <= all.size() - offset, "a range of the file");
    m_bytes = all.subspan(offset, size);
}

StoredBytes::StoredBytes(HostTensor matrix, const Panels &panels)
    : m_matrix(std::move(matrix)), m_panels(panels), m_made(nullptr, nullptr)
{
    SW_ASSERT(m_matrix.elements() == panels.rows * panels.steps, "as many elements as the panels have");
}

std::span<const std::byte> StoredBytes::aligned(std::size_t alignment) const
{
    if (m_file == nullptr)
        return made();
    if (reinterpret_cast<std::uintptr_t>(m_bytes.data()) % alignment == 0)
        return m_bytes;
    std::call_once(m_isMade, [&] {
        m_made = unwrittenMemory(m_bytes.size());
        std::ranges::copy(m_bytes, m_made.get());
    });
    return {m_made.get(), m_bytes.size()};
}

std::span<const std::byte> StoredBytes::made() const
{
    std::call_once(m_isMade, [&] {
        const std::span<const std::byte> matrix = m_matrix.unalignedBytes();
        Memory panels = unwrittenMemory(matrix.size());
        writePanels(m_panels, bytesOf(m_matrix.dtype()), matrix, {panels.get(), matrix.size()});
        if (Result<Done> sound = m_matrix.checkUnchanged(); !sound) // asked when all is read
            m_change = sound.error();
        dropPages(matrix);
        m_made = std::move(panels);
    });
    return {m_made.get(), m_matrix.byteSize()};
}

const std::byte *StoredBytes::element(std::size_t index, std::size_t elementBytes) const
{
    if (m_file != nullptr)
        return m_bytes.data() + index * elementBytes;
    if (elementBytes != bytesOf(m_matrix.dtype()))
        return made().data() + index * elementBytes;
    const auto place = static_cast<std::size_t>(m_panels.sourceOf(static_cast<std::int64_t>(index)));
    return m_matrix.unalignedBytes().data() + place * elementBytes;
}

bool StoredBytes::areKnownEqual(const StoredBytes &other) const
{
    if (m_file != nullptr && other.m_file != nullptr)
        return m_file->isOfSameFile(*other.m_file) && m_offset == other.m_offset && m_bytes.size() == other.m_bytes.size();
    return m_file == nullptr && other.m_file == nullptr && m_panels == other.m_panels && m_matrix.isIdenticalTo(other.m_matrix);
}

Result<Done> StoredBytes::checkUnchanged() const
{
    if (m_file != nullptr)
        return m_file->checkUnchanged();
    static_cast<void>(made());
    return m_change ? Result<Done>(Failure(*m_change)) : Result<Done>(Done{});
}

} // namespace sw
