#include "engine/backend/opencl/pocl_cache.h"

#include "engine/base/cache_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <vector>

namespace sw {

namespace {

constexpr const char *kVariable = "POCL_CACHE_DIR";

// The entries of a folder; none when it is not a folder.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> entries;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        entries.push_back(entry->path());
    return entries;
}

bool contains(const std::filesystem::path &file, const std::string &text)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    return bytes.find(text) != std::string::npos;
}

} // namespace

void preparePoclCache()
{
    static std::once_flag isDone;
    std::call_once(isDone, [] {
        const std::filesystem::path folder = cacheFolder() / "pocl";
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (!error)
            setenv(kVariable, folder.c_str(), 0);
    });
}

// The folders are XX/HASH/KERNEL/GROUP-flags/KERNEL.so; PoCL touches HASH/last_accessed whenever it builds or finds a program.
// The names of its kernels stand as they are in HASH/program.bc.
std::optional<std::filesystem::path> newestPoclProgram(const std::string &symbol)
{
    const char *folder = std::getenv(kVariable);
    if (folder == nullptr)
        return std::nullopt;
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> programs;
    for (const std::filesystem::path &first : entriesOf(folder))
        for (const std::filesystem::path &program : entriesOf(first)) {
            std::error_code error; // when two processes share the folder, the other one may have deleted the file
            const auto time = std::filesystem::last_write_time(program / "last_accessed", error);
            if (!error)
                programs.emplace_back(time, program);
        }
    std::ranges::sort(programs, std::greater());
    for (const auto &[time, program] : programs)
        if (contains(program / "program.bc", symbol))
            return program;
    return std::nullopt;
}

std::optional<std::filesystem::path> poclObjectOf(const std::filesystem::path &program, const std::string &symbol,
                                                  const std::array<std::size_t, 3> &group)
{
    const std::string prefix = format("{}-{}-{}-", group[0], group[1], group[2]);
    for (const std::filesystem::path &made : entriesOf(program / symbol)) {
        const std::filesystem::path object = made / (symbol + ".so");
        std::error_code error;
        if (made.filename().string().starts_with(prefix) && std::filesystem::exists(object, error))
            return object;
    }
    return std::nullopt;
}

} // namespace sw
