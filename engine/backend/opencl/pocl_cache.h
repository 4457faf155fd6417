#pragma once
// PoCL, the OpenCL driver for CPUs, keeps what it compiles in a folder, where we can read a kernel's machine code.

#include "engine/backend/backend.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>

namespace sw {

// Points PoCL to a folder of our own, unless the user has chosen one. Call before the first OpenCL call; later calls do nothing.
void preparePoclCache();

// The folder of the program with that kernel that was last built or found, by this process or another. Right after we build, it
// is ours, or equal to ours.
[[nodiscard]] std::optional<std::filesystem::path> newestPoclProgram(const std::string &symbol);

// The shared object that PoCL made from a kernel of that program for this group size.
[[nodiscard]] std::optional<std::filesystem::path> poclObjectOf(const std::filesystem::path &program, const std::string &symbol,
                                                                const std::array<std::size_t, 3> &group);

} // namespace sw
