#pragma once
// Machine code of other processors, from the same LLVM IR. This header has no LLVM headers.

#include "engine/backend/backend.h"
#include "engine/backend/llvm/native_code.h"
#include "engine/backend/machine/cross_targets.h"

#include <string>
#include <vector>

namespace sw {

// target: a name of crossTargets(). Errors: no such target (lists them); this LLVM was built without it (lists those that it
// has); the text. Code for NVIDIA is text only: its instructions have no bytes, costs or registers.
[[nodiscard]] Result<MachineCode> crossCompiled(const RenderedSource &source, const std::string &target);

// The object file for any processor whose code is bytes.
[[nodiscard]] Result<ObjectBytes> crossObject(const RenderedSource &source, const CrossTarget &target);

} // namespace sw
