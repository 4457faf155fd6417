#pragma once
// The llvm backend: compiles LLVM IR text in this process, and runs the kernels on all cores of this machine.

#include "engine/backend/backend.h"

#include <filesystem>

namespace sw {

// kernelFolder: where compiled kernels are kept for later processes; empty: nowhere.
[[nodiscard]] std::unique_ptr<Backend> makeLlvmBackend(std::filesystem::path kernelFolder = {});

} // namespace sw
