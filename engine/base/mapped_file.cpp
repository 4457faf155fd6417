#include "engine/base/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sw {

namespace {

class Descriptor {
public:
    // Without O_NONBLOCK, a pipe would make opening wait for its writer.
    explicit Descriptor(const std::filesystem::path &file) : m_number(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
};

Diagnostic cannotRead(const std::filesystem::path &file, const std::string &why)
{
    return Diagnostic::error(Code::File, {file.string()}, "cannot read {}", file.string()).withHint(why);
}

std::string lastError()
{
    return std::generic_category().message(errno);
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path &file)
{
    const Descriptor descriptor(file);
    struct stat status{};
    if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0)
        return cannotRead(file, lastError());
    if (!S_ISREG(status.st_mode))
        return cannotRead(file, "it is not a file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return std::shared_ptr<const MappedFile>(new MappedFile({}));
    void *const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
    if (bytes == MAP_FAILED)
        return cannotRead(file, lastError());
    return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<std::byte *>(bytes), size}));
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(m_bytes.data(), m_bytes.size());
}

} // namespace sw
