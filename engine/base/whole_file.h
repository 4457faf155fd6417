#pragma once
// Files that are written whole or not at all: the bytes go to a temporary name in the same folder, every write is checked, and
// only when all of them are there the file takes its name. What was there before stays until then, and stays when writing fails.

#include "engine/base/durability.h"
#include "engine/base/result.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace sw {

// The parts, one after the other. A link is followed; what is no plain file, a device or a pipe, is written to directly.
[[nodiscard]] Result<Done> writeWholeFile(const std::filesystem::path &file, std::initializer_list<std::string_view> parts,
                                          Durability durability = Durability::Cached);

} // namespace sw
