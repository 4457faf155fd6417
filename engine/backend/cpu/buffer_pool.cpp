#include "engine/backend/cpu/buffer_pool.h"

#include "engine/base/checked_size.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace sw {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kVeryLarge = std::size_t{64} << 20;
constexpr std::size_t kPage = 4096; // the smallest there is
// Freed memory beyond this goes back to the system.
constexpr std::size_t kMostKept = std::size_t{1} << 30;

// No machine has more; a machine that has less reports that itself.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

std::size_t blockSize(std::size_t bytes)
{
    const std::size_t unit = bytes >= kHugePage ? kHugePage : kAlignment;
    return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
}

} // namespace

BufferPool::~BufferPool()
{
    for (const auto &[size, blocks] : m_free)
        for (void *block : blocks)
            std::free(block);
}

namespace {

// What is around the part that begins at a huge page goes back at once.
Result<std::span<std::byte>> takeFresh(std::size_t size, std::int64_t bytes)
{
    const std::size_t mapped = size + kHugePage;
    void *const address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED)
        return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
    auto *const first = static_cast<std::byte *>(address);
    const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(first) % kHugePage) % kHugePage;
    if (before != 0)
        munmap(first, before);
    munmap(first + before + size, kHugePage - before);
    madvise(first + before, size, MADV_HUGEPAGE); // only a hint
    return std::span(first + before, static_cast<std::size_t>(bytes));
}

} // namespace

Result<std::span<std::byte>> BufferPool::take(std::int64_t bytes)
{
    if (bytes < 0 || CheckedSize(bytes).roundedUpTo(kHugePage) > kMostBytes)
        return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
    const std::size_t size = blockSize(static_cast<std::size_t>(bytes));
    if (size >= kVeryLarge)
        return takeFresh(size, bytes);
    void *block = nullptr;
    if (const auto kept = m_free.find(size); kept != m_free.end() && !kept->second.empty()) {
        block = kept->second.back();
        kept->second.pop_back();
        m_freeBytes -= size;
    } else {
        block = std::aligned_alloc(size >= kHugePage ? kHugePage : kAlignment, size);
        if (block == nullptr)
            return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
        if (size >= kHugePage)
            madvise(block, size, MADV_HUGEPAGE); // only a hint
    }
    std::memset(block, 0, size);
    return std::span(static_cast<std::byte *>(block), static_cast<std::size_t>(bytes));
}

void BufferPool::giveBack(std::span<std::byte> block)
{
    const std::size_t size = blockSize(block.size());
    if (size >= kVeryLarge) {
        munmap(block.data(), size);
        return;
    }
    if (m_freeBytes + size > kMostKept) {
        std::free(block.data());
        return;
    }
    m_free[size].push_back(block.data());
    m_freeBytes += size;
}

void BufferPool::touch(std::span<std::byte> part)
{
    for (std::size_t at = 0; at < part.size(); at += kPage) {
        volatile std::byte &byte = part[at];
        byte = byte;
    }
}

} // namespace sw
