#include "engine/base/whole_folder.h"

#include "engine/base/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace sw {

namespace {

namespace fs = std::filesystem;

constexpr int kNameAttempts = 100;

Diagnostic cannotMake(const fs::path &folder, const std::string &reason)
{
    return Diagnostic::error(Code::File, {folder.string()}, "cannot make the folder {}: {}", folder.string(), reason);
}

// Goes away with what is in it, unless it was given its name.
class TemporaryFolder {
public:
    explicit TemporaryFolder(fs::path path) : m_path(std::move(path)) {}
    ~TemporaryFolder()
    {
        std::error_code ignored;
        if (!m_path.empty())
            fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(TemporaryFolder &&other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder &operator=(TemporaryFolder &&) = delete;

    [[nodiscard]] const fs::path &path() const { return m_path; }
    void keep() { m_path.clear(); }

private:
    fs::path m_path;
};

// Without a separator at its end, so that its name is its last part.
fs::path plain(const fs::path &folder)
{
    const fs::path normal = fs::absolute(folder).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

Result<TemporaryFolder> makeBeside(const fs::path &folder)
{
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    for (int attempt = 0; !error && attempt < kNameAttempts; ++attempt) {
        fs::path name = folder.parent_path() / format(".{}.{}.{}.tmp", folder.filename().string(), ::getpid(), attempt);
        if (fs::create_directory(name, error))
            return TemporaryFolder(std::move(name));
    }
    return cannotMake(folder, error ? error.message() : "no name beside it is free");
}

} // namespace

Result<Done> checkFolderIsFree(const fs::path &folder)
{
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error)))
        return Done{};
    if (!fs::is_directory(folder, error))
        return cannotMake(folder, "there is a file of this name");
    if (!fs::is_empty(folder, error) || error)
        return cannotMake(folder, error ? error.message() : "it exists and is not empty; choose another name, or empty it first");
    return Done{};
}

Result<Done> writeWholeFolder(const fs::path &wanted, std::span<const FolderFile> files)
{
    SW_CHECK(checkFolderIsFree(wanted));
    const fs::path folder = plain(wanted);
    SW_TRY(TemporaryFolder made, makeBeside(folder));
    for (const FolderFile &file : files) {
        const fs::path path = made.path() / file.name;
        SW_CHECK(writeWholeFile(path, {file.bytes}, Durability::Synced));
        std::error_code error;
        if (file.isProgram)
            fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                            error);
        if (error)
            return cannotMake(folder, error.message());
    }
    // This replaces an empty folder, and fails where something has come into it meanwhile.
    if (std::rename(made.path().c_str(), folder.c_str()) != 0)
        return cannotMake(folder, std::strerror(errno));
    made.keep();
    return Done{};
}

} // namespace sw
