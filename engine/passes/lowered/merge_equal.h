#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Makes each value once: if an equal value was made before and is still visible, that one is used. Loads are equal only if no
// store to their memory lies between them, and an accumulator's values only until it is assigned.
Result<std::optional<LoweredProgram>> mergeEqualInstructions(const LoweredProgram &program, PassContext &context);

} // namespace sw
