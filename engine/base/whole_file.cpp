#include "engine/base/whole_file.h"

#include "engine/base/descriptor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sw {

namespace {

constexpr int kNameAttempts = 100;
constexpr std::size_t kKeptName = 100; // characters: file names have a maximum length

Diagnostic cannotWrite(const std::filesystem::path &file, int error)
{
    return Diagnostic::error(Code::File, {file.string()}, "cannot write {}: {}", file.string(), std::strerror(error));
}

// Returns the error number; 0: everything is written.
int writeAll(int descriptor, std::string_view bytes, const FileCalls &calls)
{
    while (!bytes.empty()) {
        const std::ptrdiff_t written = calls.write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written == 0 ? ENOSPC : errno;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int writeParts(Descriptor &descriptor, const FileParts &next, Durability durability, const FileCalls &calls)
{
    std::optional<std::string_view> part = next();
    for (; part && !part->empty(); part = next())
        if (const int error = writeAll(descriptor.get(), *part, calls); error != 0)
            return error;
    if (!part)
        return ECANCELED;
    if (durability == Durability::Synced && calls.sync(descriptor.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
        return errno;
    // Some file systems report only here that there was no room.
    return calls.close(descriptor.release()) == 0 ? 0 : errno;
}

// A new file under a name that was free in the folder.
struct Temporary {
    std::filesystem::path name;
    Descriptor descriptor;
};

Temporary makeTemporary(const std::filesystem::path &file, mode_t mode, const FileCalls &calls)
{
    const std::string start = file.filename().string().substr(0, kKeptName);
    Temporary made;
    for (int attempt = 0; attempt < kNameAttempts && !made.descriptor.isOpen(); ++attempt) {
        made.name = file.parent_path() / format(".{}.{}.{}.tmp", start, ::getpid(), attempt);
        made.descriptor = Descriptor(calls.open(made.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
        if (!made.descriptor.isOpen() && errno != EEXIST)
            break;
    }
    return made;
}

// Makes the folder's entry for the new name durable.
void syncFolder(const std::filesystem::path &file, const FileCalls &calls)
{
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.isOpen())
        static_cast<void>(calls.sync(descriptor.get()));
}

} // namespace

const FileCalls &systemFileCalls()
{
    static const FileCalls kCalls{[](const char *name, int flags, unsigned mode) { return ::open(name, flags, mode); },
                                  [](int file, const void *bytes, std::size_t size) { return ::write(file, bytes, size); },
                                  [](int file) { return ::fsync(file); }, [](int file) { return ::close(file); },
                                  [](const char *from, const char *to) { return std::rename(from, to); }};
    return kCalls;
}

Result<Done> writeWholeFile(const std::filesystem::path &file, std::initializer_list<std::string_view> parts,
                            Durability durability, const FileCalls &calls)
{
    const std::string_view *at = parts.begin();
    const FileParts next = [&]() -> std::optional<std::string_view> {
        while (at != parts.end() && at->empty())
            ++at;
        return at == parts.end() ? std::string_view() : *at++;
    };
    return writeWholeFile(file, next, durability, calls);
}

Result<Done> writeWholeFile(const std::filesystem::path &file, const FileParts &parts, Durability durability,
                            const FileCalls &calls)
{
    std::error_code ignored;
    const std::filesystem::path target =
        std::filesystem::is_symlink(file, ignored) ? std::filesystem::canonical(file, ignored) : file;
    struct stat status{};
    const bool exists = ::stat(target.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        Descriptor descriptor(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
        if (!descriptor.isOpen())
            return cannotWrite(file, errno);
        const int error = writeParts(descriptor, parts, Durability::Cached, calls);
        return error == 0 ? Result<Done>(Done{}) : cannotWrite(file, error);
    }
    // Renaming needs only a writable folder, but a file without write permission must stay as it is.
    if (exists && ::access(target.c_str(), W_OK) != 0)
        return cannotWrite(file, errno);
    Temporary temporary = makeTemporary(target, exists ? status.st_mode & 0777U : 0666U, calls);
    if (!temporary.descriptor.isOpen())
        return cannotWrite(file, errno);
    // open() applies the process's file mode mask, which is meant for new files only.
    int error = exists && ::fchmod(temporary.descriptor.get(), status.st_mode & 0777U) != 0 ? errno : 0;
    if (error == 0)
        error = writeParts(temporary.descriptor, parts, durability, calls);
    if (error == 0 && calls.rename(temporary.name.c_str(), target.c_str()) != 0)
        error = errno;
    if (error != 0) {
        ::unlink(temporary.name.c_str());
        return cannotWrite(file, error);
    }
    if (durability == Durability::Synced)
        syncFolder(target, calls);
    return Done{};
}

} // namespace sw
