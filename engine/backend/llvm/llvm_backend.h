#pragma once
// The llvm backend: LLVM IR text, compiled in this process, on all cores of this machine.

#include "engine/backend/backend.h"

namespace sw {

[[nodiscard]] std::unique_ptr<Backend> makeLlvmBackend();

} // namespace sw
