#pragma once
// Writes files completely or not at all: the bytes go to a temporary name in the same folder, every write is checked, and only
// when all are there does the file take its name. The old contents stay until then, and stay when writing fails.

#include "engine/base/durability.h"
#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace sw {

// The calls of the system that a file is written with. Tests replace them, to see what is left when one fails or is the last.
struct FileCalls {
    std::function<int(const char *, int, unsigned)> open;
    std::function<std::ptrdiff_t(int, const void *, std::size_t)> write;
    std::function<int(int)> sync;
    std::function<int(int)> close;
    std::function<int(const char *, const char *)> rename;
};
[[nodiscard]] const FileCalls &systemFileCalls();

// Writes the parts, one after the other. Links are followed; anything but a plain file (a device, a pipe) is written directly.
[[nodiscard]] Result<Done> writeWholeFile(const std::filesystem::path &file, std::initializer_list<std::string_view> parts,
                                          Durability durability = Durability::Cached, const FileCalls &calls = systemFileCalls());

// Gives the next part of a file; an empty one ends it, nothing gives up writing. A part must stay until the next call.
using FileParts = std::function<std::optional<std::string_view>()>;
// The same for a file that is too large to be made at once.
[[nodiscard]] Result<Done> writeWholeFile(const std::filesystem::path &file, const FileParts &next,
                                          Durability durability = Durability::Cached, const FileCalls &calls = systemFileCalls());

} // namespace sw
