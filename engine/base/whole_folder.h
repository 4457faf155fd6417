#pragma once
// Writes a new folder of files completely or not at all: the files are made in a folder with a temporary name beside it, which
// takes the wanted name when all are there.

#include "engine/base/result.h"

#include <filesystem>
#include <span>
#include <string>

namespace sw {

struct FolderFile {
    std::string name; // without folders
    std::string bytes;
    bool isProgram = false; // may be executed
};

// Errors (code File): there is already something in the folder, or it is none; a file cannot be written. Nothing is left then.
[[nodiscard]] Result<Done> writeWholeFolder(const std::filesystem::path &folder, std::span<const FolderFile> files);
// The first of these alone, to say so before the files are made.
[[nodiscard]] Result<Done> checkFolderIsFree(const std::filesystem::path &folder);

} // namespace sw
