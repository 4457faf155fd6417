#pragma once
// The llvm backend: compiles LLVM IR text in this process, and runs the kernels on all cores of this machine.

#include "engine/backend/backend.h"

namespace sw {

[[nodiscard]] std::unique_ptr<Backend> makeLlvmBackend();

} // namespace sw
