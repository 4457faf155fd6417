#pragma once
// Writes files for the user, whole or not at all: the old file stays until all of the new one is written.

#include "engine/base/durability.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sw {

// Returns why the file was not saved; empty when it was.
[[nodiscard]] std::string saveFile(const std::filesystem::path &file, std::string_view bytes, Durability durability);

} // namespace sw
