#include "engine/lowered/paged_memory.h"

#include <algorithm>

namespace sw {

PagedMemory::PagedMemory(std::span<std::byte> live)
    : m_live(live), m_equal((live.size() + kPageBytes - 1) / kPageBytes, kNone), m_changed(m_equal.size())
{
}

std::span<std::byte> PagedMemory::page(std::size_t index) const
{
    const std::size_t offset = index * kPageBytes;
    return m_live.subspan(offset, std::min(kPageBytes, m_live.size() - offset));
}

std::uint32_t PagedMemory::keep(std::span<const std::byte> contents)
{
    std::uint32_t place = 0;
    if (m_free.empty()) {
        place = static_cast<std::uint32_t>(m_kept.size());
        m_kept.emplace_back();
    } else {
        place = m_free.back();
        m_free.pop_back();
    }
    m_kept[place] = {std::make_unique_for_overwrite<std::byte[]>(kPageBytes), 0};
    std::ranges::copy(contents, m_kept[place].bytes.get());
    ++m_keptPages;
    return place;
}

void PagedMemory::drop(std::uint32_t kept)
{
    if (--m_kept[kept].users != 0)
        return;
    m_kept[kept].bytes.reset();
    m_free.push_back(kept);
    --m_keptPages;
}

void PagedMemory::forget(std::size_t page)
{
    drop(m_equal[page]);
    m_equal[page] = kNone;
    ++m_changed;
}

PagedMemory::Snapshot PagedMemory::snapshot()
{
    for (std::size_t i = 0; i < m_equal.size(); ++i) {
        if (m_equal[i] == kNone) {
            m_equal[i] = keep(page(i));
            ++m_kept[m_equal[i]].users;
        }
        ++m_kept[m_equal[i]].users;
    }
    m_changed = 0;
    ++m_snapshots;
    return m_equal;
}

std::size_t PagedMemory::snapshotCost() const
{
    return m_changed * kPageBytes + tableBytes();
}

void PagedMemory::restore(const Snapshot &snapshot)
{
    for (std::size_t i = 0; i < m_equal.size(); ++i) {
        if (m_equal[i] == snapshot[i])
            continue;
        if (m_equal[i] != kNone)
            drop(m_equal[i]);
        m_equal[i] = snapshot[i];
        ++m_kept[snapshot[i]].users;
        const std::span<std::byte> to = page(i);
        std::copy_n(m_kept[snapshot[i]].bytes.get(), to.size(), to.data());
    }
    m_changed = 0;
}

void PagedMemory::release(const Snapshot &snapshot)
{
    for (const std::uint32_t kept : snapshot)
        drop(kept);
    --m_snapshots;
}

} // namespace sw
