#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Removes instructions whose value nothing reads, loads included, from the last to the first.
Result<std::optional<LoweredProgram>> removeDeadInstructions(const LoweredProgram &program, PassContext &context);

} // namespace sw
