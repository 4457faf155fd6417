#pragma once
// The folder for files that can be made again.

#include <filesystem>

namespace sw {

// $XDG_CACHE_HOME/stepwell, ~/.cache/stepwell, or the user's own folder in the temporary folder. It need not exist yet.
[[nodiscard]] std::filesystem::path cacheFolder();

} // namespace sw
