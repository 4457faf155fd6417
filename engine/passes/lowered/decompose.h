#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Rewrites every operation that the target language cannot spell into operations that it can: the transcendental functions,
// powers, floor division and the like. See resources/docs/decompositions.md.
Result<std::optional<LoweredProgram>> decompose(const LoweredProgram &program, PassContext &context);

} // namespace sw
