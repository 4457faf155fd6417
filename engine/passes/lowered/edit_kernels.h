#pragma once

#include "engine/passes/pass_context.h"

#include <string_view>

namespace sw {

inline constexpr std::string_view kEditKernelsPass = "edit-kernels";
inline constexpr std::string_view kEditedTextRule = "edited-text";

// Gives kernels the lowered texts of the options' overrides. A text that cannot be read, that its verifier does not accept, or
// that uses an operation which the device's language lacks, is refused: the kernel stays as it was, and the program says why.
Result<std::optional<LoweredProgram>> editKernels(const LoweredProgram &program, PassContext &context);

} // namespace sw
