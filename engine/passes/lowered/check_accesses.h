#pragma once

#include "engine/passes/pass_context.h"

#include <span>
#include <string_view>

namespace sw {

inline constexpr std::string_view kCheckedLoadRule = "checked-load";
inline constexpr std::string_view kCheckedStoreRule = "checked-store";

// Makes the memory accesses of kernels that a person wrote safe. An access that the ranges prove to stay in its memory is left as
// it is. Any other load or store is done only where its index fits, and the run reports the index where it does not. Alignment is
// promised only where it is proved. Kernels that passes made are left as they are.
Result<std::optional<LoweredProgram>> checkAccesses(const LoweredProgram &program, PassContext &context);

// The same for every kernel of a program as its passes left it, those that passes made included. What is reported then also says
// which instruction it was, by its line in the kernel's lowered text, or in the text that was given for the kernel. The kernels
// in `except` are left as they are.
[[nodiscard]] LoweredProgram withEveryAccessChecked(const LoweredProgram &program, std::span<const KernelId> except,
                                                    PassContext &context);

} // namespace sw
