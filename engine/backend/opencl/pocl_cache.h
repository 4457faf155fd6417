#pragma once
// PoCL, the OpenCL driver for processors, keeps what it compiles in a folder; there the machine code of a kernel can be read.

#include "engine/backend/backend.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace sw {

// Points PoCL to a folder of our own, unless the user has chosen one. Before the first call of OpenCL; the first call counts.
void preparePoclCache();

// The folder of the program that this process, or another one, has built or found last. Asked right after building, it is ours.
[[nodiscard]] std::optional<std::filesystem::path> newestPoclProgram();

// The shared object that PoCL made of a kernel of that program for this size of group.
[[nodiscard]] std::optional<std::filesystem::path> poclObjectOf(const std::filesystem::path &program, const std::string &symbol,
                                                                const std::array<std::size_t, 3> &group);

} // namespace sw
