#pragma once
// LLVM's description of this machine. Only .cpp files that include LLVM anyway include this header.

#include "engine/base/result.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace sw {

// Does its work once per process, however often it is called.
void initializeNativeTarget();

// A code generator for this machine with every feature that it has.
[[nodiscard]] Result<std::unique_ptr<llvm::TargetMachine>> hostTargetMachine();
[[nodiscard]] std::string hostCpuName();

} // namespace sw
