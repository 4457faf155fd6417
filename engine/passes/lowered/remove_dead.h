#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Removes instructions that make a value which nothing reads, from the last to the first; loads among them.
Result<std::optional<LoweredProgram>> removeDeadInstructions(const LoweredProgram &program, PassContext &context);

} // namespace sw
