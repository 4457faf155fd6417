#include "engine/base/mapped_file.h"

#include "engine/base/descriptor.h"
#include "engine/base/mapping_guard.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sw {

namespace {

Diagnostic cannotRead(const std::filesystem::path &file, const std::string &why)
{
    return Diagnostic::error(Code::File, {file.string()}, "cannot read {}", file.string()).withHint(why);
}

std::string lastError()
{
    return std::generic_category().message(errno);
}

// Pages that have other bytes as well are left out. A system that does not know the advice goes without.
void adviseOnWholePages(std::span<const std::byte> bytes, int advice)
{
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t last = (begin + bytes.size()) / page * page;
    if (first < last)
        ::madvise(reinterpret_cast<void *>(first), last - first, advice);
}

} // namespace

MappedFile::MappedFile(std::filesystem::path file, const State &opened, std::span<std::byte> bytes)
    : m_file(std::move(file)), m_opened(opened), m_bytes(bytes)
{
}

// By its name, because a model may have more files than a process may have open.
Result<Done> MappedFile::checkUnchanged() const
{
    struct stat status{};
    const bool isThere = ::stat(m_file.c_str(), &status) == 0;
    const State now{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    const bool isThisOne = isThere && now.device == m_opened.device && now.node == m_opened.node;
    if (!isThisOne || now == m_opened)
        return Done{};
    return Diagnostic::error(Code::File, {m_file.string()}, "{} was written to since it was opened", m_file.string())
        .withHint("open it again");
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path &file)
{
    // Without O_NONBLOCK, a pipe would make opening wait for its writer.
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!descriptor.isOpen() || ::fstat(descriptor.get(), &status) != 0)
        return cannotRead(file, lastError());
    if (!S_ISREG(status.st_mode))
        return cannotRead(file, "it is not a file");
    const auto size = static_cast<std::size_t>(status.st_size);
    std::span<std::byte> bytes;
    if (size != 0) {
        void *const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
        if (start == MAP_FAILED)
            return cannotRead(file, lastError());
        bytes = {static_cast<std::byte *>(start), size};
        // Else one byte that is touched brings in the two megabytes around it, where the system has them already.
        ::madvise(start, size, MADV_NOHUGEPAGE);
    }
    const State opened{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    std::error_code error;
    std::shared_ptr<const MappedFile> mapped(new MappedFile(std::filesystem::absolute(file, error), opened, bytes));
    if (size != 0 && !guardMapping(bytes))
        return Diagnostic::error(Code::Limit, {file.string()}, "cannot open {}: too many files are open", file.string());
    return mapped;
}

bool areMapped(std::span<const std::byte> bytes)
{
    return !bytes.empty() && areGuarded(bytes);
}

void fetchPages(std::span<const std::byte> bytes)
{
    if (areMapped(bytes))
        adviseOnWholePages(bytes, MADV_POPULATE_READ);
}

void dropPages(std::span<const std::byte> bytes)
{
    if (areMapped(bytes))
        adviseOnWholePages(bytes, MADV_DONTNEED);
}

MappedFile::~MappedFile()
{
    if (m_bytes.empty())
        return;
    unguardMapping(m_bytes);
    ::munmap(m_bytes.data(), m_bytes.size());
}

} // namespace sw
