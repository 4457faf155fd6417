#pragma once
// The c backend: renders C, starts a C compiler of this machine for every kernel, and runs the kernels on all cores.

#include "engine/backend/backend.h"

namespace sw {

// compiler: the name of a program in PATH, or a path to one; it must take Clang's options.
[[nodiscard]] std::unique_ptr<Backend> makeCBackend(std::string compiler = "clang-22");

} // namespace sw
