#include "engine/backend/cpu/guarded_block.h"

#include "engine/backend/guard_pattern.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLeastMargin = std::size_t{1} << 20; // that nobody may touch; costs addresses, but no memory
constexpr std::int64_t kMostBytes = std::int64_t{1} << 46; // more than a process can name

std::size_t roundedUp(std::size_t size, std::size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

} // namespace

Result<GuardedBlock> GuardedBlock::make(std::int64_t bytes)
{
    if (bytes < 0 || bytes > kMostBytes)
        return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
    const auto size = static_cast<std::size_t>(bytes);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // Large buffers lie on huge pages, as without guards: else they would be slower.
    const std::size_t unit = size >= kHugePage ? kHugePage : page;
    const std::size_t usable = roundedUp(std::max<std::size_t>(size, 1), unit);
    const std::size_t margin = std::max(unit, kLeastMargin);
    const std::size_t mapped = usable + 2 * margin + unit;
    void *const address = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
        return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
    auto *const first = static_cast<std::byte *>(address);
    const std::size_t misaligned = (reinterpret_cast<std::uintptr_t>(first) + margin) % unit;
    std::byte *const begin = first + margin + (misaligned == 0 ? 0 : unit - misaligned);
    if (mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0) {
        munmap(address, mapped);
        return Diagnostic::error(Code::Limit, {}, "no memory for a buffer of {} bytes", bytes);
    }
    if (unit == kHugePage)
        madvise(begin, usable, MADV_HUGEPAGE); // only a hint
    std::byte *const data = begin + (usable - size) / kAlignment * kAlignment;
    return GuardedBlock({first, mapped}, {begin, usable}, {data, size});
}

GuardedBlock::GuardedBlock(std::span<std::byte> mapped, std::span<std::byte> usable, std::span<std::byte> bytes)
    : m_mapped(mapped), m_usable(usable), m_bytes(bytes)
{
    std::ranges::fill(before(), kGuardPattern);
    std::ranges::fill(behind(), kGuardPattern);
}

GuardedBlock::GuardedBlock(GuardedBlock &&other) noexcept
    : m_mapped(std::exchange(other.m_mapped, {})), m_usable(other.m_usable), m_bytes(other.m_bytes)
{
}

GuardedBlock::~GuardedBlock()
{
    if (!m_mapped.empty())
        munmap(m_mapped.data(), m_mapped.size());
}

// A page is looked at: what is written further away than that is rarely near.
std::span<std::byte> GuardedBlock::before() const
{
    const auto all = static_cast<std::size_t>(m_bytes.data() - m_usable.data());
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t looked = std::min(all, page);
    return m_usable.subspan(all - looked, looked);
}

std::span<std::byte> GuardedBlock::behind() const
{
    const auto first = static_cast<std::size_t>(m_bytes.data() - m_usable.data()) + m_bytes.size();
    return m_usable.subspan(first);
}

std::optional<std::int64_t> GuardedBlock::takeOverwritten()
{
    std::optional<std::int64_t> found;
    for (const std::span<std::byte> part : {before(), behind()}) {
        const auto changed = changedPattern(part);
        if (!changed)
            continue;
        if (!found)
            found = part.data() + *changed - m_bytes.data();
        std::ranges::fill(part, kGuardPattern);
    }
    return found;
}

} // namespace sw
