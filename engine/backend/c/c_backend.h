#pragma once
// The c backend: renders C, starts a C compiler of this machine for every kernel, and runs the kernels on all cores.

#include "engine/backend/backend.h"

#include <filesystem>

namespace sw {

// compiler: the name of a program in PATH, or a path to one; it must take Clang's options. kernelFolder: where
// compiled kernels are kept for later processes; empty: nowhere.
[[nodiscard]] std::unique_ptr<Backend> makeCBackend(std::string compiler = "clang-22", std::filesystem::path kernelFolder = {});

} // namespace sw
