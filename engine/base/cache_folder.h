#pragma once
// Where what can be made again is kept.

#include <filesystem>

namespace sw {

// $XDG_CACHE_HOME/stepwell, ~/.cache/stepwell, or a folder of the user's among the temporary ones. It need not be there yet.
[[nodiscard]] std::filesystem::path cacheFolder();

} // namespace sw
