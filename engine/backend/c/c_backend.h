#pragma once
// The c backend: C text, compiled by a compiler of this machine that is started for every kernel, on all cores.

#include "engine/backend/backend.h"

namespace sw {

// compiler: a program in PATH, or the path of one, that takes Clang's options.
[[nodiscard]] std::unique_ptr<Backend> makeCBackend(std::string compiler = "clang-22");

} // namespace sw
