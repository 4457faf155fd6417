#pragma once
// LLVM's description of this machine. Included by the .cpp files that include LLVM anyway.

#include "engine/base/result.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace sw {

// Once per process, however often it is called.
void initializeNativeTarget();

// A code generator for the host with every feature that it has.
[[nodiscard]] Result<std::unique_ptr<llvm::TargetMachine>> hostTargetMachine();
[[nodiscard]] std::string hostCpuName();

} // namespace sw
