#include "engine/backend/opencl/pocl_cache.h"

#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace sw {

namespace {

constexpr const char *kVariable = "POCL_CACHE_DIR";

std::filesystem::path ownFolder()
{
    if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
        return std::filesystem::path(cache) / "stepwell" / "pocl";
    if (const char *home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return std::filesystem::path(home) / ".cache" / "stepwell" / "pocl";
    std::error_code error;
    return std::filesystem::temp_directory_path(error) / format("stepwell-{}", getuid()) / "pocl";
}

} // namespace

void preparePoclCache()
{
    static std::once_flag isDone;
    std::call_once(isDone, [] {
        const std::filesystem::path folder = ownFolder();
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (!error)
            setenv(kVariable, folder.c_str(), 0);
    });
}

// The folders are XX/HASH/KERNEL/GROUP-flags/KERNEL.so; PoCL touches HASH/last_accessed whenever it uses a program.
std::optional<std::filesystem::path> poclObjectOf(const std::string &symbol, const std::array<std::size_t, 3> &group)
{
    const char *folder = std::getenv(kVariable);
    if (folder == nullptr)
        return std::nullopt;
    const std::string prefix = format("{}-{}-{}-", group[0], group[1], group[2]);
    std::optional<std::filesystem::path> newest;
    std::filesystem::file_time_type newestTime = std::filesystem::file_time_type::min();
    std::error_code error;
    const auto end = std::filesystem::recursive_directory_iterator();
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, error); !error && entry != end;
         entry.increment(error)) {
        const std::filesystem::path &path = entry->path();
        if (path.filename() != symbol + ".so" || !path.parent_path().filename().string().starts_with(prefix))
            continue;
        std::error_code ignored; // of two processes that share the folder, the other one may have taken the file away
        const auto program = path.parent_path().parent_path().parent_path();
        const auto time = std::filesystem::last_write_time(program / "last_accessed", ignored);
        if (!ignored && time >= newestTime) {
            newestTime = time;
            newest = path;
        }
    }
    return newest;
}

} // namespace sw
