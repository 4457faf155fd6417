#include "engine/api/resources.h"

#include <array>
#include <cstdlib>
#include <filesystem>

namespace sw {

std::string findResourceFolder()
{
    std::error_code error;
    const char *chosen = std::getenv("STEPWELL_RESOURCES");
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::array<std::filesystem::path, 3> candidates{
        std::filesystem::path(chosen == nullptr ? "" : chosen),
        executable.parent_path().parent_path() / "share" / "stepwell",
        std::filesystem::path(STEPWELL_SOURCE_RESOURCES),
    };
    for (const std::filesystem::path &candidate : candidates)
        if (!candidate.empty() && std::filesystem::is_directory(candidate / "library", error))
            return candidate.string();
    return {};
}

} // namespace sw
