#pragma once

#include "engine/passes/pass_context.h"

#include <string_view>

namespace sw {

inline constexpr std::string_view kCheckedLoadRule = "checked-load";
inline constexpr std::string_view kCheckedStoreRule = "checked-store";

// Makes the memory accesses of kernels that a person wrote safe. An access that the ranges prove to stay in its memory is left as
// it is. Any other load or store is done only where its index fits, and the run reports the index where it does not. Alignment is
// promised only where it is proved. Kernels that passes made are left as they are.
Result<std::optional<LoweredProgram>> checkAccesses(const LoweredProgram &program, PassContext &context);

} // namespace sw
