#pragma once
// What a compiler says about generated code, told to the author of the program.

#include "engine/backend/backend.h"
#include "engine/lowered/lowered.h"

#include <span>

namespace sw {

// Of generated code only the expressions of custom() can be wrong: a message about the line of one, or about what follows it, is
// placed at the call, once however many lanes it has, with the compiler's words and the place in the code as a note. Other
// messages stay as they are. sources: by kernel of the program.
[[nodiscard]] Diagnostics placedInProgram(const Diagnostics &messages, const LoweredProgram &program,
                                          std::span<const RenderedSource> sources);

} // namespace sw
