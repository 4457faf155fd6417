#pragma once
// Files for the user, written whole or not at all: what was there before stays until all of it is written.

#include "engine/base/durability.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sw {

// Empty: saved. Otherwise why not.
[[nodiscard]] std::string saveFile(const std::filesystem::path &file, std::string_view bytes, Durability durability);

} // namespace sw
