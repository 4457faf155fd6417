#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Simplifies index arithmetic and what follows from constants: identities, constant folding, reassociation, division and
// remainder by constants with the bounds of loops, comparisons and choices whose outcome is known. Floats only where the
// result has the same bits.
Result<std::optional<LoweredProgram>> simplifyInstructions(const LoweredProgram &program, PassContext &context);

} // namespace sw
