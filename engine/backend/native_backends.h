#pragma once
// The backends that run in this process: interpreter, llvm, c, opencl. Part of stepwell_native.

#include "engine/backend/backend.h"

#include <filesystem>

namespace sw {

// Adds every backend that this build has; probing tells which ones work here. hostProgram: the path of stepwell-host, which helps
// to compile; empty: this process compiles alone. kernelFolder: where llvm and c keep compiled kernels for later processes;
// empty: nowhere.
void addNativeBackends(BackendRegistry &registry, const std::filesystem::path &hostProgram = {},
                       const std::filesystem::path &kernelFolder = {});

} // namespace sw
