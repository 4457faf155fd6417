#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Moves loop-invariant instructions in front of the loop: pure operations on values from outside, and loads from memory that the
// kernel does not write, if the loop is known to run. Constants leave ifs as well.
Result<std::optional<LoweredProgram>> hoistInvariants(const LoweredProgram &program, PassContext &context);

} // namespace sw
