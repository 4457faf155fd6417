#include "engine/base/cache_folder.h"

#include "engine/base/text.h"

#include <cstdlib>
#include <unistd.h>

namespace sw {

std::filesystem::path cacheFolder()
{
    if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
        return std::filesystem::path(cache) / "stepwell";
    if (const char *home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return std::filesystem::path(home) / ".cache" / "stepwell";
    std::error_code error;
    return std::filesystem::temp_directory_path(error) / format("stepwell-{}", getuid());
}

} // namespace sw
