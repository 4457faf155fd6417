#pragma once
// LLVM's description of this machine. Only .cpp files that include LLVM anyway include this header.

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace sw {

// Does its work once per process, however often it is called.
void initializeNativeTarget();

// A code generator for this machine with every feature that it has.
[[nodiscard]] Result<std::unique_ptr<llvm::TargetMachine>> hostTargetMachine();
[[nodiscard]] std::string hostCpuName();

// The rows of the table of tensor instructions that this machine's processor has. Tile registers must be asked of the system once
// for the process, which this does; where it refuses, their rows are missing.
[[nodiscard]] std::uint32_t hostTensorInstructions();
// Whether this machine's processor computes with f16 itself.
[[nodiscard]] bool hostHasF16();
// The features among these ("amx-tile amx-bf16") that the processor lacks.
[[nodiscard]] std::vector<std::string> missingFeatures(const llvm::TargetMachine &machine, std::string_view features);

} // namespace sw
