#pragma once
// Writes files completely or not at all: the bytes go to a temporary name in the same folder, every write is checked, and only
// when all are there does the file take its name. The old contents stay until then, and stay when writing fails.

#include "engine/base/durability.h"
#include "engine/base/result.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace sw {

// Writes the parts, one after the other. Links are followed; anything but a plain file (a device, a pipe) is written directly.
[[nodiscard]] Result<Done> writeWholeFile(const std::filesystem::path &file, std::initializer_list<std::string_view> parts,
                                          Durability durability = Durability::Cached);

} // namespace sw
