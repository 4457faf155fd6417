#pragma once
// Memory with snapshots of its contents: a snapshot copies the pages that changed since the last one and shares the others
// with it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sw {

class PagedMemory {
public:
    static constexpr std::size_t kPageBytes = 4096;
    // For every page of the memory: where its contents are kept.
    using Snapshot = std::vector<std::uint32_t>;

    explicit PagedMemory(std::span<std::byte> live);

    // Call this before these bytes of the memory change.
    void touch(const std::byte *at, std::size_t bytes)
    {
        if (bytes == 0)
            return;
        const auto offset = static_cast<std::size_t>(at - m_live.data());
        const std::size_t last = (offset + bytes - 1) / kPageBytes;
        for (std::size_t page = offset / kPageBytes; page <= last; ++page)
            if (m_equal[page] != kNone)
                forget(page);
    }

    [[nodiscard]] Snapshot snapshot();
    // What a snapshot would add to bytesHeld now.
    [[nodiscard]] std::size_t snapshotCost() const;
    void restore(const Snapshot &snapshot);
    void release(const Snapshot &snapshot);

    // By all snapshots.
    [[nodiscard]] std::size_t bytesHeld() const { return m_keptPages * kPageBytes + m_snapshots * tableBytes(); }
    [[nodiscard]] std::size_t tableBytes() const { return m_equal.size() * sizeof(std::uint32_t); }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;

    struct Kept {
        std::unique_ptr<std::byte[]> bytes;
        std::uint32_t users = 0;
    };

    [[nodiscard]] std::span<std::byte> page(std::size_t index) const;
    [[nodiscard]] std::uint32_t keep(std::span<const std::byte> contents);
    void forget(std::size_t page);
    void drop(std::uint32_t kept);

    std::span<std::byte> m_live;
    std::vector<std::uint32_t> m_equal; // by page: the kept copy that equals it now, or kNone
    std::size_t m_changed = 0;          // pages that equal no kept copy
    std::vector<Kept> m_kept;
    std::vector<std::uint32_t> m_free; // unused entries of m_kept
    std::size_t m_keptPages = 0;
    std::size_t m_snapshots = 0;
};

} // namespace sw
