#pragma once
// Reports a compiler's messages about generated code to the author of the program.

#include "engine/backend/backend.h"
#include "engine/lowered/lowered.h"

#include <span>

namespace sw {

// In generated code, only the expressions of custom() can be wrong. A message about the line of one, or about what follows it, is
// placed at the custom() call, once however many lanes it has; a note gives the place in the generated code. Other messages
// stay as they are. sources: by kernel of the program.
[[nodiscard]] Diagnostics placedInProgram(const Diagnostics &messages, const LoweredProgram &program,
                                          std::span<const RenderedSource> sources);

} // namespace sw
