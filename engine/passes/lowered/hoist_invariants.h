#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Moves what does not change in a loop to before the loop: pure operations on values from outside, and loads from memory that
// the kernel does not write, where the loop surely runs. Constants leave ifs as well.
Result<std::optional<LoweredProgram>> hoistInvariants(const LoweredProgram &program, PassContext &context);

} // namespace sw
