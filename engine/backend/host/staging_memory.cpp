#include "engine/backend/host/staging_memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace sw {

namespace {

constexpr std::size_t kSharedBytes = kStagingBytes + 4096; // with a page for the crash note
static_assert(sizeof(CrashNote) <= kSharedBytes - kStagingBytes);

Diagnostic cannot(std::string_view what)
{
    return Diagnostic::error(Code::Run, {}, "{}: {}", what, std::strerror(errno));
}

} // namespace

Result<StagingMemory> StagingMemory::make()
{
    // The size is sealed: if the other process shrank the memory, touching it would kill this process.
    Descriptor memory(memfd_create("stepwell", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory.isOpen() || ftruncate(memory.get(), static_cast<off_t>(kSharedBytes)) != 0 ||
        fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return cannot("no memory to share with another process");
    return open(std::move(memory));
}

Result<StagingMemory> StagingMemory::open(Descriptor memory)
{
    struct stat facts{};
    if (fstat(memory.get(), &facts) != 0)
        return cannot("the shared memory cannot be used");
    if (facts.st_size < static_cast<off_t>(kSharedBytes))
        return Diagnostic::error(Code::Run, {}, "the shared memory has {} bytes, not {}", facts.st_size, kSharedBytes);
    void *address = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    if (address == MAP_FAILED)
        return cannot("the shared memory cannot be used");
    return StagingMemory(std::move(memory), {static_cast<std::byte *>(address), kSharedBytes});
}

StagingMemory::StagingMemory(StagingMemory &&other) noexcept
    : m_memory(std::move(other.m_memory)), m_bytes(std::exchange(other.m_bytes, {}))
{
}

StagingMemory &StagingMemory::operator=(StagingMemory &&other) noexcept
{
    std::swap(m_memory, other.m_memory);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

CrashNote &StagingMemory::crashNote() const
{
    return *reinterpret_cast<CrashNote *>(m_bytes.data() + kStagingBytes);
}

StagingMemory::~StagingMemory()
{
    if (!m_bytes.empty())
        munmap(m_bytes.data(), m_bytes.size());
}

} // namespace sw
